import { dateToInstant, formatWireDateTime, instantToDate } from "../../contract/date-time.js";
import { usageError } from "../errors.js";
import type { EventContent } from "./event-draft.js";
import { checkRecurrence, expandRecurrence } from "./recurrence.js";
import { type RecurrenceRule, readRule } from "./recurrence-rule.js";
import { addDays, instantAt, wallClockAt } from "./zoned-time.js";

/** An event that repeats as single events. Load it by `import()`: the rule engine is large. */

/** What one run makes at most: a day each for a year. */
const MAX_COPIES = 366;

/** Where an event begins, on the clock of its zone. */
export interface Beginning {
  /** IANA; `UTC` for all-day. */
  readonly zone: string;
  readonly isAllDay: boolean;
  /** `YYYY-MM-DDTHH:mm:ss`. */
  readonly local: string;
}

/** @throws CliError usage for an event without times */
export function beginningOf({ start_at, start_timezone, all_day }: EventContent): Beginning {
  if (start_at === undefined) throw usageError("missing --start: --repeat has no effect without it");
  const zone = start_timezone ?? "UTC";
  const wallClock = wallClockAt(Date.parse(start_at), zone);
  return { zone, isAllDay: all_day === true, local: formatWireDateTime(wallClock).slice(0, -".000Z".length) };
}

/** An RRULE that has its last start on a day, as UNTIL. @param day `YYYY-MM-DD` */
export function untilDay(day: string, { zone, isAllDay }: Beginning): string {
  const last = isAllDay ? dateToInstant(day) : instantAt(dateToInstant(addDays(day, 1)), zone) - 1000;
  const text = formatWireDateTime(last).replace(/[-:]|\.000/g, "");
  return `UNTIL=${isAllDay ? text.slice(0, "YYYYMMDD".length) : text}`;
}

/** @throws CliError usage for an RRULE that does not fit the event */
export function checkRepeat(rule: string, beginning: Beginning): RecurrenceRule {
  checkRecurrence(recurrenceOf(rule, beginning), "--repeat");
  return readRule(rule, "--repeat");
}

/**
 * The event at each start of an RRULE, in order, with the length it has.
 * @param excluded days without one, as `YYYY-MM-DD`
 * @returns the contents, and their days
 * @throws CliError usage for more than one run makes, for none, and for a day that has none anyway
 */
export function copiesOf(content: EventContent, rule: string, excluded: readonly string[]) {
  const beginning = beginningOf(content);
  const length = Date.parse(content.end_at ?? "") - Date.parse(content.start_at ?? "");
  const all: { readonly day: string; readonly content: EventContent }[] = [];
  for (const start of expandRecurrence(recurrenceOf(rule, beginning))) {
    const times = { start_at: formatWireDateTime(start), end_at: formatWireDateTime(start + length) };
    const day = instantToDate(wallClockAt(start, beginning.zone));
    if (all.push({ day, content: { ...content, ...times } }) <= MAX_COPIES) continue;
    throw usageError(
      `--repeat gives more than ${MAX_COPIES} events, the most that one run makes`,
      "end it earlier by --until or --count, and begin the next run after that",
    );
  }
  const useless = excluded.find((day) => all.every((copy) => copy.day !== day));
  if (useless !== undefined) throw usageError(`--except: ${useless} is no day of --repeat`, "leave it out");
  const copies = all.filter(({ day }) => !excluded.includes(day));
  if (copies.length === 0) throw usageError("--except leaves no day of --repeat");
  return copies;
}

function recurrenceOf(rule: string, { zone, isAllDay, local }: Beginning) {
  const start = isAllDay ? local.slice(0, "YYYY-MM-DD".length) : local;
  return { lines: [`RRULE:${rule}`], start, timezone: isAllDay ? null : zone };
}
