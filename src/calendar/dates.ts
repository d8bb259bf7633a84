import { isCalendarDate, isTimeZone, parseWireDateTime } from "../contract/date-time.js";
import { DAYS_MAX, DAYS_MIN } from "../contract/limits.js";
import { usageError } from "../errors.js";
import { type Duration, formatOffset, readWallClock } from "./zoned-time.js";

/** Reads times, zones and lengths of time as people type them. `source` is how messages name the flag. */

export type DateInput =
  | { readonly kind: "date" /** `YYYY-MM-DD`. */; readonly date: string }
  | { readonly kind: "date-time" /** Milliseconds since the Unix epoch. */; readonly instant: number };

export interface DateInputOptions {
  readonly source: string;
  /** The zone of a time without an offset. */
  readonly zone: string;
}

const UNSET_HINT = "is a variable of the script unset?";
const DATE_HINT = "write 2026-11-21T15:00, or 2026-11-21 for a whole day";
const OFFSET_HINT = "write it as 2026-11-21T15:00:00Z or 2026-11-21T15:00:00+09:00";
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Reads ISO 8601: a date, or a date and time with or without an offset.
 * @throws CliError usage for anything else, for dates and times that do not exist, and for a local time that a
 * clock change skips or doubles
 */
export function parseDateInput(text: string, { source, zone }: DateInputOptions): DateInput {
  const typed = text.trim();
  if (typed === "") throw usageError(`${source} is empty`, UNSET_HINT);
  const match = DATE_TIME.exec(typed);
  if (match === null) throw usageError(`${source}: "${text}" is no date or time`, DATE_HINT);
  const [, date = "", clock, offset] = match;
  if (!isCalendarDate(date)) {
    throw usageError(
      `${source}: the date ${date} does not exist`,
      "write year, month and day as in 2026-11-21",
    );
  }
  if (clock === undefined) return { kind: "date", date };
  const wallClock = parseWireDateTime(`${date}T${clock}Z`);
  if (wallClock === null) {
    throw usageError(`${source}: the time ${clock} does not exist`, "a day goes from 00:00 to 23:59:59");
  }
  if (offset === undefined) {
    const instant = readLocal(wallClock.instant, `${date}T${clock}`, { source, zone });
    return { kind: "date-time", instant };
  }
  const time = parseWireDateTime(`${date}T${clock}${offset}`);
  if (time === null) {
    throw usageError(
      `${source}: the offset ${offset} does not exist`,
      "write hours and minutes as in +09:00",
    );
  }
  return { kind: "date-time", instant: time.instant };
}

function readLocal(wallClock: number, typed: string, { source, zone }: DateInputOptions): number {
  const reading = readWallClock(wallClock, zone);
  if (reading.kind === "once") return reading.instant;
  const problem = reading.kind === "twice" ? "is twice" : "is skipped";
  const [before, after] = [reading.before, reading.after].map((offset) => typed + formatOffset(offset));
  throw usageError(`${source}: ${typed} ${problem} in ${zone}: write ${before} or ${after}`);
}

/**
 * Reads a date-time that says its offset, in milliseconds since the Unix epoch.
 * @throws CliError usage
 */
export function parseInstant(text: string, source: string): number {
  const input = parseDateInput(text, { source, zone: "UTC" });
  const offset = DATE_TIME.exec(text.trim())?.[3];
  if (input.kind === "date" || offset === undefined) {
    throw usageError(`${source}: "${text}" is no time with an offset`, OFFSET_HINT);
  }
  return input.instant;
}

const SHORT_DURATION = /^(?:(\d{1,5})w)?(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,5})m)?$/;
const ISO_DURATION = /^P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?)?$/;

/**
 * Reads `90m`, `1h30m`, `2d`, `1w`, or the same as `PT90M` (RFC 5545 §3.3.6). Weeks count as seven days.
 * @throws CliError usage for anything else and for no time at all
 */
export function parseDuration(text: string, source: string): Duration {
  const typed = text.trim();
  if (typed === "") throw usageError(`${source} is empty`, UNSET_HINT);
  const match = SHORT_DURATION.exec(typed) ?? ISO_DURATION.exec(typed);
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = (match ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  const duration = { days: weeks * 7 + days, minutes: hours * 60 + minutes };
  if (duration.days + duration.minutes === 0) {
    throw usageError(`${source}: "${text}" is no length of time`, "write 90m, 1h30m, 2d or 1w");
  }
  return duration;
}

/** Reads a number of days as `upcoming_events` takes it: 1 to 7. @throws CliError usage @see contract section 8 */
export function parseDays(text: string, source: string): number {
  if (text.trim() === "") throw usageError(`${source} is empty`, UNSET_HINT);
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < DAYS_MIN || days > DAYS_MAX) {
    throw usageError(
      `${source}: "${text}" is no number of days`,
      `write a whole number from ${DAYS_MIN} to ${DAYS_MAX}`,
    );
  }
  return days;
}

/** Checks an IANA timezone name and gives it back as typed. @throws CliError usage */
export function parseTimeZone(name: string, source: string): string {
  if (name === "") throw usageError(`${source} is empty`, UNSET_HINT);
  if (!isTimeZone(name)) {
    throw usageError(
      `${source}: "${name}" is no timezone`,
      "write a name such as Asia/Tokyo, Europe/Berlin or UTC",
    );
  }
  return name;
}
