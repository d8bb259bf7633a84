import { dateToInstant, instantToDate, MINUTE_MS } from "../../contract/date-time.js";
import { emptyValueError, usageError } from "../errors.js";
import { type Clock, type Day, readWords, WEEKDAYS, type Words } from "./date-grammar.js";
import {
  AmbiguousTextError,
  checkDate,
  type DateInput,
  type DateInputOptions,
  parseInstant,
  parseLocal,
} from "./dates.js";
import {
  addDays,
  addDuration,
  type Duration,
  describeLocal,
  formatLocal,
  wallClockAt,
} from "./zoned-time.js";

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
  /** `Sat 2026-11-21 15:00 Asia/Tokyo`, `Mon 2026-11-30 to Sun 2026-12-06`; without the zone it is ISO 8601. */
  readonly description: string;
}

/**
 * Reads `tomorrow 3pm`, `fri 9:30`, `next monday`, `21 nov 15:00`, `noon`, `+2h` and the like. A day without a time is
 * a date. Only time that passes (`+2h`) is counted on the clock; everything else is what the zone's clock shows.
 * @throws CliError usage that names what was not understood, for dates and times that do not exist or have two
 * meanings, and for a local time that a clock change skips or repeats
 */
export function parseDateWords(text: string, options: DateWordOptions): DateInWords {
  if (text.trim() === "") throw emptyValueError(options.source);
  return resolveWords(readWords(text.trim(), options), text, options);
}

/** The day or time that words name. @param text as typed. @throws CliError usage, as `parseDateWords` */
export function resolveWords(
  { day, clock, offset, elapsed }: Words,
  text: string,
  options: DateWordOptions,
): DateInWords {
  const { source, zone, edge } = options;
  if (elapsed !== undefined) return resolveElapsed(elapsed, text, options);
  const [named, last] = resolveDays(day, clock, options);
  checkDate(named, source);
  if (named !== last && (edge === undefined || clock !== undefined)) {
    const problem = `${source}: "${text}" is several days, ${named} to ${last}`;
    throw usageError(problem, `write one of them, such as ${named}`);
  }
  const describe = (date: string): string => describeLocal(date, zone);
  if (clock === undefined) {
    const description = named === last ? describe(named) : `${describe(named)} to ${describe(last)}`;
    return { input: { kind: "date", text, date: edge === "last" ? last : named }, description };
  }
  if (clock === "midnight" && day !== undefined) {
    const readings = [named, addDays(named, 1)].map((date) => `${date}T00:00`);
    throw new AmbiguousTextError(
      `${source}: "${text}" may be the beginning or the end of the day: write ${readings.join(" or ")}`,
      { written: text, readings },
    );
  }
  const wallClock = dateToInstant(named) + (clock === "midnight" ? 0 : clock);
  const local = new Date(wallClock).toISOString().slice(0, "YYYY-MM-DDTHH:mm".length);
  const instant =
    offset === undefined
      ? parseLocal(wallClock, local, options)
      : parseInstant(`${local}${offset.toUpperCase()}`, source);
  const shown = offset === undefined ? `${local}:00` : formatLocal(instant, zone);
  return { input: { kind: "date-time", text, instant }, description: describeLocal(shown, zone) };
}

/** Counted from the beginning of this minute. */
function resolveElapsed(elapsed: Duration, text: string, { zone, now }: DateWordOptions): DateInWords {
  const seconds = wallClockAt(now, zone) % MINUTE_MS;
  const instant = addDuration(now - (seconds < 0 ? seconds + MINUTE_MS : seconds), elapsed, zone);
  const description = describeLocal(formatLocal(instant, zone), zone);
  return { input: { kind: "date-time", text, instant }, description };
}

/** The first and the last day. Those of this week begin today. */
function resolveDays(
  day: Day | undefined,
  clock: Clock | undefined,
  options: DateWordOptions,
): readonly [string, string] {
  if (day?.kind !== "week") {
    const named = resolveDay(day, clock, options);
    return [named, named];
  }
  const { weeks, first, last } = day;
  const today = instantToDate(wallClockAt(options.now, options.zone));
  const index = (weekdayOf(today) + 6) % 7;
  const dayIn = (week: number, weekday: number): string => addDays(today, 7 * week + weekday - index);
  const isBegun = first < last && first <= index;
  // The next weekend is the first that begins after today, which may be in this week.
  const week = weeks === 1 && first < last && !isBegun ? 0 : weeks;
  return [isBegun && week === 0 ? today : dayIn(week, first), dayIn(week, last)];
}

/** The day as `YYYY-MM-DD`, which may not exist. */
function resolveDay(
  day: Exclude<Day, { readonly kind: "week" }> | undefined,
  clock: Clock | undefined,
  options: DateWordOptions,
): string {
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
