import { dateToInstant, instantToDate } from "../../../contract/date-time.js";
import { slotText } from "../../../contract/extensions.js";
import type { EventDraft } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { checkRecurrence, expandRecurrence, isFirstSkipped } from "../../time/recurrence/recurrence.js";
import { dateLines, MAX_OCCURRENCES, type Recurrence, recurrenceOf } from "../../time/recurrence/rule.js";
import { addDays, describeLocal, instantAt, wallClockAt } from "../../time/zoned-time.js";
import { timesFrom } from "./series.js";

/** An event that repeats, as a series or as single events. Load it by `import()`: few commands need the rule engine. */

/** What one run makes at most: a day each for a year. */
const MAX_COPIES = 366;

/** Where an event begins, on the clock of its zone. */
export interface Beginning extends Omit<Recurrence, "lines"> {
  /** IANA; `UTC` for all-day. */
  readonly zone: string;
  readonly isAllDay: boolean;
}

/** @throws CliError usage for an event without times */
export function beginningOf(content: EventDraft<unknown>): Beginning {
  if (content.start_at === undefined) throw usageError("missing --start: --repeat has no effect without it");
  const { start, timezone } = recurrenceOf(content, []);
  return { start, timezone, zone: timezone ?? "UTC", isAllDay: timezone === null };
}

/** An RRULE that has its last start on a day, as UNTIL. @param day `YYYY-MM-DD` */
export function untilDay(day: string, { zone, isAllDay }: Beginning): string {
  const last = isAllDay ? dateToInstant(day) : instantAt(dateToInstant(addDays(day, 1)), zone) - 1000;
  return `UNTIL=${slotText(last, isAllDay)}`;
}

/** @throws CliError usage for an RRULE that does not fit the event, and for one that ends before its first date */
export function checkRepeat(rule: string, beginning: Beginning): void {
  const open = rule.replace(/;UNTIL=\w+/, "");
  const [first] = open === rule ? [] : expandRecurrence({ ...beginning, lines: [`RRULE:${open}`] });
  const [found] = first === undefined ? [] : expandRecurrence({ ...beginning, lines: [`RRULE:${rule}`] });
  if (first !== undefined && found === undefined) {
    const day = describeLocal(instantToDate(wallClockAt(first, beginning.zone)), beginning.zone);
    throw usageError(`the event stops repeating before its first date, ${day}`, "write a later day");
  }
  checkRecurrence({ ...beginning, lines: [`RRULE:${rule}`] }, "--repeat");
}

/** When a single event by a rule is. */
export type CopyTimes = ReturnType<typeof timesFrom>;

/**
 * When an event is at each start of an RRULE, in order, with the length it has.
 * @param excluded days without one, as `YYYY-MM-DD`
 * @returns its times, and the days
 * @throws CliError usage for more than one run makes, for none, and for a day that has none anyway
 */
export function copiesOf(content: EventDraft<unknown>, rule: string, excluded: readonly string[]) {
  const beginning = beginningOf(content);
  const all: { readonly day: string; readonly times: CopyTimes }[] = [];
  for (const start of expandRecurrence({ ...beginning, lines: [`RRULE:${rule}`] })) {
    const day = instantToDate(wallClockAt(start, beginning.zone));
    if (all.push({ day, times: timesFrom(content, start) }) <= MAX_COPIES) continue;
    throw usageError(
      `--repeat gives more than ${MAX_COPIES} events, the most that one run makes`,
      "end it earlier by --until or --count, and begin the next run after that",
    );
  }
  checkExcluded(
    excluded,
    all.map(({ day }) => day),
  );
  const copies = all.filter(({ day }) => !excluded.includes(day));
  if (copies.length === 0) throw usageError(NOTHING_LEFT);
  return copies;
}

const NOTHING_LEFT = "--except leaves no date of --repeat";

/** @param days of the rule */
function checkExcluded(excluded: readonly string[], days: readonly string[]): void {
  const useless = excluded.find((day) => !days.includes(day));
  if (useless !== undefined)
    throw usageError(`--except: ${useless} is not a date of --repeat`, "leave it out");
}

/** How many days a person is shown. */
export const SHOWN_DAYS = 3;

/** Days without an occurrence, as `YYYY-MM-DD`. */
interface ExceptedDays {
  /** Refused where the rule has no such day. */
  readonly excluded: readonly string[];
  /** Left out where the rule has no such day. */
  readonly kept?: readonly string[];
}

/**
 * The event as a series, which begins with the first start of an RRULE, or before one that a clock change skips.
 * @param today the first day that a person is shown
 * @returns the content, and days with occurrences, one more than is shown where there are more
 * @throws CliError usage for exceptions that leave nothing, and for a day that has no occurrence anyway
 */
export function seriesOf<Ref>(
  content: EventDraft<Ref>,
  rule: string,
  { excluded, kept = [], today }: ExceptedDays & { readonly today: string },
) {
  const beginning = beginningOf(content);
  const excepted = new Set([...excluded, ...kept]);
  const last = [...excepted].sort().at(-1) ?? "";
  const found: { readonly day: string; readonly start: number }[] = [];
  const days: string[] = [];
  const recurrence = { ...beginning, lines: [`RRULE:${rule}`] };
  for (const start of expandRecurrence(recurrence)) {
    const day = instantToDate(wallClockAt(start, beginning.zone));
    found.push({ day, start });
    if (!excepted.has(day) && day >= today && day !== days.at(-1)) days.push(day);
    if ((day > last && days.length > SHOWN_DAYS) || found.length === MAX_OCCURRENCES) break;
  }
  checkExcluded(
    excluded,
    found.map(({ day }) => day),
  );
  const [first] = found;
  if (first === undefined || found.every(({ day }) => excepted.has(day))) throw usageError(NOTHING_LEFT);
  const exceptions = found.filter(({ day }) => excepted.has(day)).map(({ start }) => start);
  const recurrences = [`RRULE:${rule}`, ...dateLines("EXDATE", exceptions, beginning)];
  checkRecurrence({ ...beginning, lines: recurrences }, "--repeat");
  const times = isFirstSkipped(recurrence) ? {} : timesFrom(content, first.start);
  return { content: { ...content, ...times, recurrences }, days };
}
