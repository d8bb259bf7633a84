import { DAY_MS, dateToInstant, isCalendarDate, parseWireDateTime } from "../../contract/date-time.js";
import { MAX_DAYS, MIN_DAYS } from "../../contract/limits.js";
import { readTimeZoneName, timeZoneHint } from "../../contract/time-zone-names.js";
import { CliError, emptyValueError, usageError } from "../errors.js";
import {
  addDays,
  type Duration,
  formatLocal,
  formatOffset,
  formatTyped,
  localDate,
  readWallClock,
} from "./zoned-time.js";

/**
 * Reads ISO 8601 dates and times, durations and zones as typed; `date-words.ts` reads dates and times in words. `source`
 * is how messages name the flag.
 */

/** A date, or a date and time. */
export type DateInput =
  | { readonly kind: "date" /** As typed, for messages. */; readonly text: string; readonly date: string }
  /** `instant` is in milliseconds since the Unix epoch. */
  | { readonly kind: "date-time"; readonly text: string; readonly instant: number };

/** The day of a date or time in a zone, as `YYYY-MM-DD`. */
export function dayOfInput(input: DateInput, zone: string): string {
  return input.kind === "date" ? input.date : localDate(input.instant, zone);
}

/** A date or time in ISO 8601, as a flag takes it. */
export function typedInput(input: DateInput, zone: string): string {
  return input.kind === "date" ? input.date : formatTyped(formatLocal(input.instant, zone), zone);
}

/** A duration, with its text for messages. */
export interface DurationInput extends Duration {
  readonly text: string;
}

export interface DateInputOptions {
  readonly source: string;
  /** The zone of a time without an offset. */
  readonly zone: string;
  /** Whether only a day is meant, so that no message offers a time. */
  readonly dayOnly?: boolean;
  /** Whether words are refused, so that no message offers them. */
  readonly strict?: boolean;
  /** Which of several days is meant, such as those of next week. By default they are refused. */
  readonly edge?: "first" | "last";
}

/** A text that can be read in several ways (exit 2). */
export class AmbiguousTextError extends CliError {
  /** The part of the text that is ambiguous. */
  readonly written: string;
  /** Texts that can stand in its place, each with one reading. */
  readonly readings: readonly string[];

  constructor(
    message: string,
    {
      hint,
      written,
      readings,
    }: { readonly hint?: string; readonly written: string; readonly readings: readonly string[] },
  ) {
    super("usage", message, { hint });
    this.written = written;
    this.readings = readings;
  }
}

const DATE_HINT = "write YYYY-MM-DDTHH:MM, or YYYY-MM-DD for a whole day";
const ISO_DAY_HINT = "write YYYY-MM-DD";
const OFFSET_HINT = "write it as YYYY-MM-DDTHH:MM:SSZ or YYYY-MM-DDTHH:MM:SS+09:00";
/** How days are written in words. */
export const DAY_HINT = "write tomorrow, fri, 24 dec, in 2 weeks or YYYY-MM-DD";
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** Whether `parseDateInput` reads the text, or knows what is wrong with its digits. */
export function isIsoDateInput(text: string): boolean {
  return DATE_TIME.test(text.trim());
}

/** Whether it is a date and time without an offset, whose instant depends on a zone. */
export function isLocalDateTime(text: string): boolean {
  const [, , clock, offset] = DATE_TIME.exec(text.trim()) ?? [];
  return clock !== undefined && offset === undefined;
}

/**
 * Reads ISO 8601: a date, or a date and time with or without an offset.
 * @throws CliError usage for anything else, for dates and times that do not exist, and for a local time that a
 * clock change skips or repeats
 */
export function parseDateInput(
  text: string,
  { source, zone, dayOnly = false, strict = false }: DateInputOptions,
): DateInput {
  const typed = text.trim();
  if (typed === "") throw emptyValueError(source);
  const match = DATE_TIME.exec(typed);
  if (match === null) {
    const expected = dayOnly ? "date" : "date or time";
    throw usageError(
      `${source}: "${text}" is not an ISO 8601 ${expected}`,
      dayOnly ? ISO_DAY_HINT : DATE_HINT,
    );
  }
  const [, date = "", clock, offset] = match;
  checkDate(date, source);
  if (clock === undefined) return { kind: "date", text, date };
  if (dayOnly) throw notADayError(text, source, strict ? ISO_DAY_HINT : DAY_HINT);
  const wallClock = parseWireDateTime(`${date}T${clock}Z`);
  if (wallClock === null) {
    throw usageError(`${source}: the time ${clock} does not exist`, "write a time from 00:00 to 23:59:59");
  }
  if (offset === undefined) {
    const instant = parseLocal(wallClock.instant, `${date}T${clock}`, { source, zone });
    return { kind: "date-time", text, instant };
  }
  const time = parseWireDateTime(`${date}T${clock}${offset}`);
  if (time === null) {
    throw usageError(
      `${source}: the offset ${offset} does not exist`,
      "write hours and minutes as in +09:00",
    );
  }
  return { kind: "date-time", text, instant: time.instant };
}

/** The error for a time where a day is meant. */
export function notADayError(text: string, source: string, hint = DAY_HINT): CliError {
  return usageError(`${source}: "${text}" is a time, not a day`, hint);
}

/** @throws CliError usage unless the date `YYYY-MM-DD` exists */
export function checkDate(date: string, source: string): void {
  if (isCalendarDate(date)) return;
  const last = isCalendarDate(`${date.slice(0, 7)}-01`) ? lastOfMonth(date.slice(0, 7)) : undefined;
  throw usageError(
    `${source}: the date ${date} does not exist`,
    last === undefined ? "write year, month and day as YYYY-MM-DD" : `the last day of that month is ${last}`,
  );
}

/**
 * The instant at which the zone's clock shows `wallClock`. @param typed the same as ISO 8601, for messages
 * @throws CliError usage when a clock change skips or repeats it
 */
export function parseLocal(wallClock: number, typed: string, { source, zone }: DateInputOptions): number {
  const reading = readWallClock(wallClock, zone);
  if (reading.kind === "once") return reading.instant;
  const problem = reading.kind === "twice" ? "occurs twice" : "is skipped";
  const [before, after] = [reading.before, reading.after].map((offset) => typed + formatOffset(offset));
  throw usageError(`${source}: ${typed} ${problem} in ${zone}: write ${before} or ${after}`);
}

/**
 * Reads a date and time with an offset, in milliseconds since the Unix epoch.
 * @throws CliError usage
 */
export function parseInstant(text: string, source: string): number {
  const offset = DATE_TIME.exec(text.trim())?.[3];
  const input = offset === undefined ? null : parseDateInput(text, { source, zone: "UTC" });
  if (input?.kind === "date-time") return input.instant;
  throw usageError(`${source}: "${text}" is not a date and time with an offset`, OFFSET_HINT);
}

/** What they count is their index; `a` is one. */
export const NUMBER_WORDS = "a one two three four five six seven eight nine ten eleven twelve".split(" ");
const HALF = String.raw`\s+and\s+a\s+half`;
const NUMBER = String.raw`\d{0,5}½|\d{1,5}(?:\.\d{1,2}|${HALF})?|(?:half\s+an|(?:an|${NUMBER_WORDS.join("|")})(?:${HALF})?)(?=\s)`;
const DURATION_PART = String.raw`(?:${NUMBER})\s*(?:weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m)`;

/** Source of a pattern for `90m`, `1.5h`, `1h 30m`, `2 days`, `an hour and 5 minutes` or `an hour and a half`. */
export const DURATION_PATTERN = String.raw`${DURATION_PART}(?:(?:\s*|\s*,\s*|\s+and\s+)${DURATION_PART})*(?:${HALF}(?!\s+(?:hour|day|week)))?`;

const DURATION = new RegExp(`^${DURATION_PATTERN}$`, "i");
const ISO_DURATION = /^P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?)?$/;

/**
 * Reads `90m`, `1.5h`, `1h 30m`, `2d`, `two weeks`, `half an hour`, or the same as `PT90M` (RFC 5545 §3.3.6). A week is seven days.
 * @throws CliError usage for anything else and for a duration of zero
 */
export function parseDuration(text: string, source: string): DurationInput {
  const typed = text.trim();
  if (typed === "") throw emptyValueError(source);
  const duration = readDuration(typed);
  if (duration !== null) return { text, ...duration };
  throw usageError(`${source}: "${text}" is not a valid duration`, "write 90m, 1.5h, 1h 30m, 2d or 1w");
}

/**
 * Reads how far something is moved: a duration with its sign, `+1w` or `-30m`. Negative for earlier.
 * @throws CliError usage
 */
export function parseShift(text: string, source: string): DurationInput {
  const typed = text.trim();
  if (typed === "") throw emptyValueError(source);
  const duration = /^[+-]/.test(typed) ? readDuration(typed.slice(1).trim()) : null;
  if (duration === null) {
    const isZero = /^[+-]\s*0+\s*[wdhm]/i.test(typed);
    const problem = /\d{6}/.test(typed)
      ? "is too far"
      : isZero
        ? "is no move"
        : "does not say how far and which way";
    throw usageError(
      `${source}: "${text}" ${problem}`,
      "write +1w or +90m for later, -1d or -30m for earlier",
    );
  }
  const sign = typed.startsWith("-") ? -1 : 1;
  return { text, days: sign * duration.days, minutes: sign * duration.minutes };
}

/** Null for anything that is not a duration, and for a duration of zero. */
export function readDuration(text: string): Duration | null {
  const [weeks, days, hours, minutes] = durationParts(text) ?? [];
  const duration = {
    days: Number(weeks ?? 0) * 7 + Number(days ?? 0),
    // A hundredth of an hour is not a whole minute, a twentieth is.
    minutes: (Math.round(Number(hours ?? 0) * 100) * 60) / 100 + Number(minutes ?? 0),
  };
  if (!Number.isInteger(duration.days) || !Number.isInteger(duration.minutes)) return null;
  return duration.days + duration.minutes === 0 ? null : duration;
}

const UNITS = ["w", "d", "h", "m"];
const UNIT_AND_HALF = new RegExp(String.raw`(\s*[a-z]+)(${HALF})$`, "i");
const PARTS = new RegExp(String.raw`(${NUMBER})\s*([wdhm])[a-z]*`, "gi");

/** The numbers of weeks, days, hours and minutes, as written. */
function durationParts(text: string): readonly (string | undefined)[] | null {
  const iso = ISO_DURATION.exec(text);
  if (iso !== null) return iso.slice(1);
  // An hour and a half is one and a half hours.
  const said = text.replace(UNIT_AND_HALF, "$2$1");
  if (!DURATION.test(said)) return null;
  const numbers: (string | undefined)[] = [];
  for (const [, written = "", unit = ""] of said.matchAll(PARTS)) {
    const number = numberOf(written.toLowerCase());
    const index = UNITS.indexOf(unit.toLowerCase());
    // Longer units come first, each once, and only hours have a fraction.
    if (index < numbers.length || (number.includes(".") && unit.toLowerCase() !== "h")) return null;
    numbers[index] = number;
  }
  return numbers;
}

/** The digits of a number that may be written as a word, in lower case. */
export function numberOf(written: string): string {
  const [half] = /(?:½| and a half)$/.exec(written.replace(/\s+/g, " ")) ?? [];
  if (half !== undefined) return String(Number(numberOf(written.slice(0, -half.length) || "0")) + 0.5);
  if (/^\d/.test(written)) return written;
  return written.startsWith("half") ? "0.5" : String(Math.max(1, NUMBER_WORDS.indexOf(written)));
}

/** A length as a person types it: `45m`, `1h 30m`, `2d 1h`. */
export function formatMinutes(minutes: number): string {
  const parts = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  return parts.flatMap((count, index) => (count === 0 ? [] : `${count}${"dhm"[index]}`)).join(" ");
}

/** A year: more days are for `--from` and `--to`. */
const MAX_LISTED_DAYS = 366;

/** Reads a number of days as `upcoming_events` takes it: 1 to 7. @throws CliError usage @see contract section 8 */
export function parseUpcomingDays(text: string, source: string): number {
  return parseDays(text, source, MAX_DAYS);
}

/** Reads a number of days. @param max the most that is read @throws CliError usage */
export function parseDays(text: string, source: string, max = MAX_LISTED_DAYS): number {
  if (text.trim() === "") throw emptyValueError(source);
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < MIN_DAYS || days > max) {
    throw usageError(
      `${source}: "${text}" is not a valid number of days`,
      `write a whole number from ${MIN_DAYS} to ${max}`,
    );
  }
  return days;
}

/** @param month `YYYY-MM`, which exists */
export function lastOfMonth(month: string): string {
  const days = [30, 29, 28, 27].map((count) => addDays(`${month}-01`, count));
  return days.find((date) => date.startsWith(month)) ?? `${month}-28`;
}

/** The last of some days, as `YYYY-MM-DD`; no later than a date can be written. */
export function lastOfDays(first: string, days: number): string {
  const last = addDays(first, days - 1);
  return isCalendarDate(last) ? last : "9999-12-31";
}

/** The last day that `upcoming_events` can list. */
export function lastUpcomingDay(today: string): string {
  return lastOfDays(today, MAX_DAYS);
}

/** With how many days `upcoming_events` lists these as well; null if it cannot. Null as a day stands for no limit. */
export function upcomingDays(first: string | null, last: string | null, today: string): number | null {
  if (first === null || last === null || first < today || last > lastUpcomingDay(today)) return null;
  return (dateToInstant(last) - dateToInstant(today)) / DAY_MS + 1;
}

/** The IANA name of a zone, in its usual spelling. @throws CliError usage for any other name, abbreviations included */
export function parseTimeZone(name: string, source: string): string {
  if (name === "") throw emptyValueError(source);
  const zone = readTimeZoneName(name);
  if (zone !== null) return zone;
  throw usageError(`${source}: "${name}" is not a time zone`, timeZoneHint(name));
}
