import { isCalendarDate, isTimeZone, parseWireDateTime } from "../contract/date-time.js";
import { MAX_DAYS, MIN_DAYS } from "../contract/limits.js";
import { emptyValueError, usageError } from "../errors.js";
import { type Duration, formatOffset, readWallClock } from "./zoned-time.js";

/** Reads dates, times, zones and durations as typed. `source` is how messages name the flag. */

/** A date, or a date and time. */
export type DateInput =
  | { readonly kind: "date" /** As typed, for messages. */; readonly text: string; readonly date: string }
  /** `instant` is in milliseconds since the Unix epoch. */
  | { readonly kind: "date-time"; readonly text: string; readonly instant: number };

/** A duration, with its text for messages. */
export interface DurationInput extends Duration {
  readonly text: string;
}

export interface DateInputOptions {
  readonly source: string;
  /** The zone of a time without an offset. */
  readonly zone: string;
}

const DATE_HINT = "write 2026-11-21T15:00, or 2026-11-21 for a whole day";
const OFFSET_HINT = "write it as 2026-11-21T15:00:00Z or 2026-11-21T15:00:00+09:00";
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Reads ISO 8601: a date, or a date and time with or without an offset.
 * @throws CliError usage for anything else, for dates and times that do not exist, and for a local time that a
 * clock change skips or repeats
 */
export function parseDateInput(text: string, { source, zone }: DateInputOptions): DateInput {
  const typed = text.trim();
  if (typed === "") throw emptyValueError(source);
  const match = DATE_TIME.exec(typed);
  if (match === null) throw usageError(`${source}: "${text}" is not a valid date or time`, DATE_HINT);
  const [, date = "", clock, offset] = match;
  if (!isCalendarDate(date)) {
    throw usageError(
      `${source}: the date ${date} does not exist`,
      "write year, month and day as in 2026-11-21",
    );
  }
  if (clock === undefined) return { kind: "date", text, date };
  const wallClock = parseWireDateTime(`${date}T${clock}Z`);
  if (wallClock === null) {
    throw usageError(`${source}: the time ${clock} does not exist`, "write a time from 00:00 to 23:59:59");
  }
  if (offset === undefined) {
    const instant = readLocal(wallClock.instant, `${date}T${clock}`, { source, zone });
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

function readLocal(wallClock: number, typed: string, { source, zone }: DateInputOptions): number {
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

const SHORT_DURATION = /^(?:(\d{1,5})w)?(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,5})m)?$/;
const ISO_DURATION = /^P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?)?$/;

/**
 * Reads `90m`, `1h30m`, `2d`, `1w`, or the same as `PT90M` (RFC 5545 §3.3.6). A week is seven days.
 * @throws CliError usage for anything else and for a duration of zero
 */
export function parseDuration(text: string, source: string): DurationInput {
  const typed = text.trim();
  if (typed === "") throw emptyValueError(source);
  const match = SHORT_DURATION.exec(typed) ?? ISO_DURATION.exec(typed);
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = (match ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  const duration = { text, days: weeks * 7 + days, minutes: hours * 60 + minutes };
  if (duration.days + duration.minutes === 0) {
    throw usageError(`${source}: "${text}" is not a valid duration`, "write 90m, 1h30m, 2d or 1w");
  }
  return duration;
}

/** Reads a number of days as `upcoming_events` takes it: 1 to 7. @throws CliError usage @see contract section 8 */
export function parseDays(text: string, source: string): number {
  if (text.trim() === "") throw emptyValueError(source);
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < MIN_DAYS || days > MAX_DAYS) {
    throw usageError(
      `${source}: "${text}" is not a valid number of days`,
      `write a whole number from ${MIN_DAYS} to ${MAX_DAYS}`,
    );
  }
  return days;
}

/** Checks an IANA timezone name and returns it as typed. @throws CliError usage */
export function parseTimeZone(name: string, source: string): string {
  if (name === "") throw emptyValueError(source);
  if (!isTimeZone(name)) {
    throw usageError(
      `${source}: "${name}" is not a valid timezone`,
      "write a name such as Asia/Tokyo, Europe/Berlin or UTC",
    );
  }
  return name;
}
