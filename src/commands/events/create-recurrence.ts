import type { EventDraft } from "../../../contract/shapes.js";
import type { Named } from "../../calendar/names.js";
import { checkRecurrence } from "../../calendar/recurrence.js";
import { beginningOf, copiesOf, seriesOf } from "../../calendar/recurrence-events.js";
import { recurrenceOf } from "../../calendar/recurrence-lines.js";
import { readRule } from "../../calendar/recurrence-rule.js";
import { localDate } from "../../calendar/zoned-time.js";
import { usageError } from "../../errors.js";
import type { TimeContext } from "./date-flags.js";
import type { EventFieldFlags } from "./event-flags.js";
import { describeRepeat, readRepeat } from "./recurrence-flags.js";

/** `events create --repeat RULE`: a series, or with `--copies` single events by rule. */

/** What `--repeat` makes. */
export interface RepeatPlan {
  /** The series, or what all single events have. */
  readonly content: EventDraft<Named>;
  /** The single events of `--copies`, in order. */
  readonly copies?: readonly EventDraft<Named>[];
  /** How the rule was read, for people. */
  readonly reading: string;
}

/**
 * Reads the rule.
 * @param given the event as it would be without `--repeat`
 * @throws CliError usage for a rule or days that do not fit
 */
export async function planRepeat(
  context: TimeContext,
  flags: EventFieldFlags,
  given: EventDraft<Named>,
): Promise<RepeatPlan> {
  const { recurrences: _replaced, ...content } = given;
  const beginning = beginningOf(content);
  const { rule, excluded } = await readRepeat(context, flags, { beginning });
  if (flags.copies !== true) {
    const today = localDate(context.now(), beginning.zone);
    const series = seriesOf(content, rule, { excluded, today });
    return { content: series.content, reading: describeRepeat(rule, beginning, series.days) };
  }
  const { COUNT, UNTIL } = readRule(rule, "--repeat");
  if (COUNT === undefined && UNTIL === undefined)
    throw usageError("missing --until or --count: the rule of --repeat has no end");
  const copies = copiesOf(content, rule, excluded);
  const days = [...new Set(copies.map(({ day }) => day))];
  return {
    content,
    copies: copies.map((copy) => copy.content),
    reading: describeRepeat(rule, beginning, days),
  };
}

/** Checks the recurrences of an input, as services do. @throws CliError usage */
export function checkLines(content: EventDraft<unknown>, lines: readonly string[]): void {
  const source = "--input: recurrences";
  if (content.start_at === undefined)
    throw usageError(
      `${source}: the event has no start`,
      "add start_at and end_at, or leave recurrences out",
    );
  checkRecurrence(recurrenceOf(content, lines), source);
}
