import { notADayError } from "../../calendar/dates.js";
import type { EventContent } from "../../calendar/event-draft.js";
import { readRule } from "../../calendar/recurrence-rule.js";
import { parseRepeat } from "../../calendar/repeat-words.js";
import {
  type Beginning,
  beginningOf,
  checkRepeat,
  copiesOf,
  SHOWN_DAYS,
  seriesOf,
  untilDay,
} from "../../calendar/repeats.js";
import { describeRule } from "../../calendar/rule-words.js";
import { describeLocal } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { readDateFlag, type TimeContext } from "./date-flags.js";
import type { EventFieldFlags } from "./event-flags.js";
import { requireSeries } from "./extensions.js";

/** `events create --repeat RULE`: a series, or with `--copies` single events by rule. */

/** @throws CliError usage for flags that need or exclude each other */
export function checkRepeatFlags({ repeat, until, count, except, copies }: EventFieldFlags): void {
  const others = { "--until": until, "--count": count, "--except": except, "--copies": copies };
  const useless = Object.entries(others).find(([, value]) => value !== undefined);
  if (repeat === undefined && useless !== undefined)
    throw usageError(`missing --repeat: ${useless[0]} has no effect without it`);
  if (until !== undefined && count !== undefined)
    throw usageError("--until and --count are both given", "give one of the two");
}

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
  const dayOf = createDayReader(context, flags, beginning);
  const text = await readRepeat(flags, beginning, dayOf);
  const rule = checkRepeat(text, beginning);
  const excluded: string[] = [];
  for (const day of flags.except ?? []) excluded.push(await dayOf(day, "--except"));
  const readingWith = (days: readonly string[]): string => {
    const shown = days.slice(0, SHOWN_DAYS).map((day) => describeLocal(day, beginning.zone));
    const more = days.length > SHOWN_DAYS ? ", …" : "";
    return `repeat: ${describeRule(rule, beginning.zone)}: ${shown.join(", ")}${more}`;
  };
  if (flags.copies !== true) {
    const series = seriesOf(content, text, excluded);
    return { kind: "series", content: series.content, reading: readingWith(series.days) };
  }
  if (rule.COUNT === undefined && rule.UNTIL === undefined)
    throw usageError("missing --until or --count: the rule of --repeat has no end");
  const copies = copiesOf(content, text, excluded);
  const reading = readingWith(copies.map(({ day }) => day));
  return { kind: "copies", contents: copies.map((copy) => copy.content), reading };
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

type DayReader = (text: string, source: string) => Promise<string>;

/** The RRULE of `--repeat`, with the end that the other flags say. @throws CliError usage */
async function readRepeat(
  { repeat = "", count, until }: EventFieldFlags,
  beginning: Beginning,
  dayOf: DayReader,
): Promise<string> {
  const rule = parseRepeat(repeat, "--repeat");
  if ((count ?? until) === undefined) return rule;
  if (count !== undefined && !/^\d+$/.test(count))
    throw usageError(`--count: "${count}" is not a whole number`, "write a number such as 10");
  const source = count === undefined ? "--until" : "--count";
  const end = count === undefined ? untilDay(await dayOf(until ?? "", source), beginning) : `COUNT=${count}`;
  readRule(`${rule};${end}`, source);
  return `${rule};${end}`;
}

/** Reads days in the zone of the event, as `YYYY-MM-DD`. */
function createDayReader(
  { now, output }: TimeContext,
  { strictDates: strict = false }: EventFieldFlags,
  { zone, local }: Beginning,
): DayReader {
  return async (text, source) => {
    const from = () => local.slice(0, "YYYY-MM-DD".length);
    const options = { source, zone, strict, dayOnly: true, now, echo: output.note, from };
    const input = await readDateFlag(text, options);
    if (input.kind === "date") return input.date;
    throw notADayError(text, source);
  };
}
