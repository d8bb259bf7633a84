import { dateToInstant, instantToDate, MINUTE_MS } from "../../contract/date-time.js";
import { emptyValueError, usageError } from "../errors.js";
import { type Clock, type Day, readWords, WEEKDAYS } from "./date-grammar.js";
import { checkDate, type DateInput, type DateInputOptions, parseLocal } from "./dates.js";
import { addDays, addDuration, describeLocal, formatLocal, wallClockAt } from "./zoned-time.js";

/** Dates and times in words. Whatever the grammar does not cover is an error. */

export interface DateWordOptions extends DateInputOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /**
   * The day, as `YYYY-MM-DD`, from which times alone, weekdays and dates without a year count: for an end that of its
   * start. Null for today.
   */
  readonly from: string | null;
}

export interface DateInWords {
  readonly input: DateInput;
  /** `Sat 2026-11-21 15:00 Asia/Tokyo`; without the zone it is ISO 8601. */
  readonly description: string;
}

/**
 * Reads `tomorrow 3pm`, `fri 9:30`, `next monday`, `21 nov 15:00`, `noon`, `+2h` and the like. A day without a time is
 * a date. Only time that passes (`+2h`) is counted on the clock; everything else is what the zone's clock shows.
 * @throws CliError usage that names what was not understood, for dates and times that do not exist or have two
 * meanings, and for a local time that a clock change skips or repeats
 */
export function parseDateWords(text: string, options: DateWordOptions): DateInWords {
  const { source, zone, now } = options;
  if (text.trim() === "") throw emptyValueError(source);
  const { day, clock, elapsed } = readWords(text.trim(), options);
  if (elapsed !== undefined) {
    const seconds = wallClockAt(now, zone) % MINUTE_MS;
    const instant = addDuration(now - (seconds < 0 ? seconds + MINUTE_MS : seconds), elapsed, zone);
    const description = describeLocal(formatLocal(instant, zone), zone);
    return { input: { kind: "date-time", text, instant }, description };
  }
  const named = resolveDay(day, clock, options);
  checkDate(named, source);
  if (clock === undefined) {
    return { input: { kind: "date", text, date: named }, description: describeLocal(named, zone) };
  }
  if (clock === "midnight" && day !== undefined) {
    const [start, end] = [named, addDays(named, 1)].map((date) => `${date}T00:00`);
    throw usageError(
      `${source}: "${text}" may be the beginning or the end of the day: write ${start} or ${end}`,
    );
  }
  const wallClock = dateToInstant(named) + (clock === "midnight" ? 0 : clock);
  const local = new Date(wallClock).toISOString().slice(0, "YYYY-MM-DDTHH:mm".length);
  const instant = parseLocal(wallClock, local, options);
  return { input: { kind: "date-time", text, instant }, description: describeLocal(`${local}:00`, zone) };
}

/** The day as `YYYY-MM-DD`, which may not exist. */
function resolveDay(day: Day | undefined, clock: Clock | undefined, options: DateWordOptions): string {
  const wallClock = wallClockAt(options.now, options.zone);
  const today = instantToDate(wallClock);
  const from = options.from ?? today;
  switch (day?.kind) {
    case undefined:
      return clock === "midnight" ? addDays(from, 1) : from;
    case "relative":
      return addDays(today, day.days);
    case "date":
      return resolveDate(day, from, options.source);
    case "weekday": {
      const days = (day.weekday - weekdayOf(from) + 7) % 7;
      if (day.which === "last") return addDays(from, days - 7);
      const isOver =
        options.from === null && typeof clock === "number" && dateToInstant(from) + clock < wallClock;
      return addDays(from, days === 0 && (day.which === "next" || isOver) ? 7 : days);
    }
  }
}

function resolveDate(
  { year, monthDay, weekday }: Extract<Day, { readonly kind: "date" }>,
  from: string,
  source: string,
): string {
  const thisYear = from.slice(0, 4);
  const isOver = `${thisYear}${monthDay}` < from;
  const date = `${year ?? (isOver ? Number(thisYear) + 1 : thisYear)}${monthDay}`;
  checkDate(date, source);
  if (weekday !== undefined && weekday !== weekdayOf(date)) {
    const [is, typed] = [weekdayOf(date), weekday].map((index) => WEEKDAYS[index]);
    throw usageError(`${source}: ${date} is a ${is}, not a ${typed}`, "write the date or the weekday alone");
  }
  return date;
}

function weekdayOf(date: string): number {
  return new Date(dateToInstant(date)).getUTCDay();
}
