import { DAY_MS, isTimeZone, MINUTE_MS, parseWireDateTime } from "../../../contract/date-time.js";
import { sanitizeLine } from "../../output/sanitize.js";
import type { Clock, Hours } from "../../output/view.js";
import { formatMinutes } from "../../time/dates.js";
import { type DayName, dayOf, describeDay } from "../../time/day-names.js";
import { formatLocal, repeatedOffset } from "../../time/zoned-time.js";
import type { LocalizedEvent } from "../localized-event.js";
import { isBlank } from "../patch.js";
import { readSpan } from "../times.js";

/** Number of following days for which a weekday is enough to name the day. */
const WEEK_DAYS = 6;

export interface WhenOptions {
  /** Whether the year is always shown; otherwise only when start and end are in different years. */
  readonly year: boolean;
  /** What the first day is called; by default with weekday, date and month. */
  readonly day?: string;
  readonly hours?: Hours | undefined;
  /** That of the times, for the offset of those that a clock change repeats. */
  readonly zone?: string;
}

/** The time of day of `2026-11-21T15:00:00+09:00`: `15:00`, or `3:00pm` by a clock of twelve hours. */
export function clockOf(local: string, hours: Hours = 24): string {
  const clock = local.slice(11, 16);
  const hour = Number(clock.slice(0, 2));
  return hours === 24 ? clock : `${hour % 12 || 12}${clock.slice(2)}${hour < 12 ? "am" : "pm"}`;
}

/** A day in the chosen zone, with a time of day unless it is a whole day. */
interface DisplayTime extends DayName {
  /** `HH:mm` */
  readonly time: string | null;
}

/**
 * When an event takes place, for reading: `Sat 21 Nov 15:00–16:00`, `Sat 21 Nov  all day`, `Sat 21 – Sun 22 Nov`,
 * `Sat 21 Nov 22:00 – Sun 02:00`. Empty for a keep without times.
 */
export function describeWhen(
  { start_local, end_local }: Pick<LocalizedEvent, "start_local" | "end_local">,
  options: WhenOptions,
): string {
  const start = readLocal(start_local, options);
  const end = readLocal(end_local, options);
  if (start === null) return start_local ?? "";
  const hasEnd = end !== null && end_local !== start_local;
  const { day = describeDay(start, options) } = options;
  if (start.time === null) return hasEnd ? describeDays(start, end, options) : `${day}  all day`;
  const from = `${day} ${start.time}`;
  if (!hasEnd || end.time === null) return from;
  const days = end.day - start.day;
  if (days === 0) return `${from}–${end.time}`;
  if (days > 0 && days <= WEEK_DAYS) return `${from} – ${end.weekday} ${end.time}`;
  const years = { year: options.year || start.year !== end.year };
  return `${describeDay(start, years)} ${start.time} – ${describeDay(end, years)} ${end.time}`;
}

/** How long it takes until an event begins or ends: `(in 25m)`, `(40m left)`; empty for a day or more. */
export function describeWait(event: LocalizedEvent, now: number): string {
  const { allDay, start, end } = readSpan(event);
  if (allDay === true || start === null) return "";
  const isOn = start <= now;
  const wait = (isOn ? (end ?? now) : start) - now;
  if (wait <= 0 || wait >= DAY_MS) return "";
  const text = formatMinutes(Math.ceil(wait / MINUTE_MS));
  return isOn ? `(${text} left)` : `(in ${text})`;
}

/** When an event took place before it changed, for readers of when it does: `12:00–13:00`, `Tue 12:00–13:00`. */
export function describeFormerWhen(
  before: Pick<LocalizedEvent, "start_local" | "end_local">,
  { start_local }: Pick<LocalizedEvent, "start_local">,
): string {
  const [then, now] = [readLocal(before.start_local), readLocal(start_local)];
  const days = then === null || now === null ? WEEK_DAYS + 1 : Math.abs(then.day - now.day);
  const day = days === 0 ? "" : days <= WEEK_DAYS ? then?.weekday : undefined;
  const options = { year: now !== null && then?.year !== now.year, ...(day !== undefined && { day }) };
  return describeWhen(before, options).trim().replace("  ", " ");
}

function describeDays(first: DisplayTime, last: DisplayTime, options: WhenOptions): string {
  if (first.year !== last.year)
    return `${describeDay(first, { year: true })} – ${describeDay(last, { year: true })}`;
  const from =
    first.month === last.month ? `${first.weekday} ${first.date}` : describeDay(first, { year: false });
  return `${from} – ${describeDay(last, options)}`;
}

/** Some days, for reading: `Mon 23 Nov`, `Mon 23 – Sun 29 Nov`, `from Mon 23 Nov`. Empty for every day. */
export function describeDayRange(
  { first, last }: { readonly first: string | null; readonly last: string | null },
  options: WhenOptions,
): string {
  const [start, end] = [readLocal(first), readLocal(last)];
  if (start === null) return end === null ? "" : `up to ${describeDay(end, options)}`;
  if (end === null) return `from ${describeDay(start, options)}`;
  return first === last ? describeDay(start, options) : describeDays(start, end, options);
}

function readLocal(text: string | null, { hours, zone }: Partial<WhenOptions> = {}): DisplayTime | null {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?/.exec(text ?? "");
  if (match === null) return null;
  const [, date = "", time] = match;
  if (time === undefined || text === null) return { ...dayOf(date), time: null };
  const offset = zone === undefined ? "" : repeatedOffset(text, zone);
  return { ...dayOf(date), time: `${clockOf(text, hours)}${offset}` };
}

/** An instant of the wire in a zone, for reading: `Sat 21 Nov 2026 15:00`; text that is not one as it is. */
export function describeInstant(text: string, { zone, hours }: Clock, { year } = { year: true }): string {
  const time = parseWireDateTime(text);
  if (time === null) return text;
  const local = formatLocal(time.instant, zone());
  return `${describeDay(dayOf(local.slice(0, 10)), { year })} ${clockOf(local, hours?.())}`;
}

/**
 * The end of an event with two zones, on the clock of its own zone: `(ends 14:05 Europe/Paris)`; the start if the end is
 * in the chosen zone. Empty for any other event.
 */
export function describeOtherZone(
  event: LocalizedEvent,
  { zone, hours }: { readonly zone: string; readonly hours?: Hours | undefined },
): string {
  const { all_day, start_timezone, end_timezone } = event;
  if (all_day === true || start_timezone === null || end_timezone === null) return "";
  if (start_timezone === end_timezone) return "";
  return end_timezone === zone
    ? clockNote("starts", start_timezone, { at: event.start_at, local: event.start_local, hours })
    : clockNote("ends", end_timezone, { at: event.end_at, local: event.end_local, hours });
}

function clockNote(
  word: string,
  zone: string,
  {
    at,
    local,
    hours,
  }: { readonly at: string | null; readonly local: string | null; readonly hours: Hours | undefined },
): string {
  const time = parseWireDateTime(at ?? "");
  if (time === null || !isTimeZone(zone)) return "";
  const there = formatLocal(time.instant, zone);
  const isOtherDay = there.slice(0, 10) !== local?.slice(0, 10);
  const day = isOtherDay ? `${dayOf(there.slice(0, 10)).weekday} ` : "";
  return `(${word} ${day}${clockOf(there, hours)} ${zone})`;
}

/** The sanitized title; `(no title)` without one. */
export function titleOf({ title }: LocalizedEvent): string {
  return isBlank(title ?? "") ? "(no title)" : sanitizeLine(title ?? "").trim();
}
