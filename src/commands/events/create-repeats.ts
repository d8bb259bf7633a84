import type { EventContent } from "../../calendar/event-draft.js";
import { readRule } from "../../calendar/recurrence-rule.js";
import { beginningOf, copiesOf, seriesOf } from "../../calendar/repeats.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import type { TimeContext } from "./date-flags.js";
import type { EventFieldFlags } from "./event-flags.js";
import { requireSeries } from "./extensions.js";
import { describeRepeat, readRepeat } from "./repeat-flags.js";

/** `events create --repeat RULE`: a series, or with `--copies` single events by rule. */

/** What `--repeat` makes, a series or single events in order, and how the rule was read. */
export type RepeatPlan = { readonly reading: string } & (
  | { readonly kind: "series"; readonly content: EventContent }
  | { readonly kind: "copies"; readonly contents: readonly EventContent[] }
);

/**
 * Reads the rule.
 * @param content the event as it would be without `--repeat`
 * @throws CliError usage for a rule or days that do not fit
 */
export async function planRepeat(
  context: TimeContext,
  flags: EventFieldFlags,
  content: EventContent,
): Promise<RepeatPlan> {
  const beginning = beginningOf(content);
  const { rule, excluded } = await readRepeat(context, flags, { beginning });
  if (flags.copies !== true) {
    const today = localDate(context.now(), beginning.zone);
    const series = seriesOf(content, rule, { excluded, today });
    return {
      kind: "series",
      content: series.content,
      reading: describeRepeat(rule, beginning, series.days),
    };
  }
  const { COUNT, UNTIL } = readRule(rule, "--repeat");
  if (COUNT === undefined && UNTIL === undefined)
    throw usageError("missing --until or --count: the rule of --repeat has no end");
  const copies = copiesOf(content, rule, excluded);
  const days = [...new Set(copies.map(({ day }) => day))];
  return {
    kind: "copies",
    contents: copies.map((copy) => copy.content),
    reading: describeRepeat(rule, beginning, days),
  };
}

/** Says how the rule was read. @throws CliError rejected where the service does not store what is planned */
export async function acceptRepeat(
  context: Pick<Context, "api" | "output">,
  { kind, reading }: RepeatPlan,
  calendarId: string,
): Promise<void> {
  if (kind === "series") await requireSeries(await context.api(), calendarId);
  context.output.note(reading);
}
