import { type Beginning, checkRepeat, SHOWN_DAYS, untilDay } from "../../calendar/recurrence-events.js";
import { parseRepeat } from "../../calendar/recurrence-input.js";
import { readRule } from "../../calendar/recurrence-rule.js";
import { describeRule } from "../../calendar/recurrence-words.js";
import { describeLocal } from "../../calendar/zoned-time.js";
import { usageError } from "../../errors.js";
import { readDayFlag, type TimeContext } from "./date-flags.js";
import type { EventFieldFlags } from "./event-flags.js";

/** Reads the rule that the flags say. Load it by `import()`: few commands need the rule engine. */

/** What the flags say of a rule. */
export interface TypedRule {
  /** An RRULE. */
  readonly rule: string;
  /** The days of `--except`, as `YYYY-MM-DD`. */
  readonly excluded: readonly string[];
}

/**
 * Reads the rule of the flags, with its end.
 * @param place where the event begins, and the RRULE that `--until` and `--count` end without `--repeat`
 * @throws CliError usage for a rule or days that do not fit
 */
export async function readRepeat(
  context: TimeContext,
  flags: EventFieldFlags,
  { beginning, own = "" }: { readonly beginning: Beginning; readonly own?: string },
): Promise<TypedRule> {
  const { repeat, until, count, except = [] } = flags;
  const dayOf = createDayReader(context, flags, beginning);
  const start = repeat === undefined ? own : parseRepeat(repeat, "--repeat");
  const rule = [start, ...(await readEnd({ until, count }, { beginning, dayOf }))].join(";");
  readRule(rule, until === undefined ? "--count" : "--until");
  checkRepeat(rule, beginning);
  const excluded: string[] = [];
  for (const day of except) excluded.push(await dayOf(day, "--except"));
  return { rule, excluded };
}

/** UNTIL or COUNT of an RRULE; none without the flags. @throws CliError usage */
async function readEnd(
  { until, count }: { readonly until: string | undefined; readonly count: string | undefined },
  { beginning, dayOf }: { readonly beginning: Beginning; readonly dayOf: DayReader },
): Promise<readonly string[]> {
  if (until !== undefined) {
    const [day, first] = [await dayOf(until, "--until"), beginning.start.slice(0, "YYYY-MM-DD".length)];
    if (day < first) throw usageError(`--until: ${day} is before the start, ${first}`, "write a later day");
    return [untilDay(day, beginning)];
  }
  if (count === undefined) return [];
  if (/^\d+$/.test(count)) return [`COUNT=${count}`];
  throw usageError(`--count: "${count}" is not a whole number`, "write a number such as 10");
}

/** How a rule was read, for people. @param days of its next occurrences */
export function describeRepeat(rule: string, { zone }: Beginning, days: readonly string[]): string {
  const words = describeRule(readRule(rule, "--repeat"), zone);
  if (days.length === 0) return `repeat: ${words}`;
  const shown = days.slice(0, SHOWN_DAYS).map((day) => describeLocal(day, zone));
  return `repeat: ${words}: ${shown.join(", ")}${days.length > SHOWN_DAYS ? ", …" : ""}`;
}

type DayReader = (text: string, source: string) => Promise<string>;

/** Reads days in the zone of the event, as `YYYY-MM-DD`. */
function createDayReader(
  { now, output }: TimeContext,
  { strictDates: strict = false }: EventFieldFlags,
  { zone, start }: Beginning,
): DayReader {
  const from = () => start.slice(0, "YYYY-MM-DD".length);
  return (text, source) => readDayFlag(text, { source, zone, strict, now, echo: output.note, from });
}
