import { FixedOffsetZone, IANAZone } from "luxon";
import {
  DAY_MS,
  dateToInstant,
  instantToDate,
  MINUTE_MS,
  parseWireDateTime,
} from "../../contract/date-time.js";
import type { Event } from "../../contract/shapes.js";

/**
 * Wall clocks of timezones. Instants are milliseconds since the Unix epoch, a wall clock is the instant at which UTC
 * shows the same, offsets are milliseconds east of UTC. Zones are names that `isTimeZone` knows.
 */

/** What a wall clock means in a zone. If a clock change skips or repeats it, the offsets before and after. */
type WallClockReading =
  | { readonly kind: "once"; readonly instant: number }
  | { readonly kind: "skipped" | "twice"; readonly before: number; readonly after: number };

/** The instant at which the zone's clock shows `wallClock`. */
export function readWallClock(wallClock: number, zone: string): WallClockReading {
  // No offset exceeds a day, so these two are on both sides of any change that could matter.
  const before = offsetAt(wallClock - DAY_MS, zone);
  const after = offsetAt(wallClock + DAY_MS, zone);
  if (before === after) return { kind: "once", instant: wallClock - before };
  const showsBefore = offsetAt(wallClock - before, zone) === before;
  const showsAfter = offsetAt(wallClock - after, zone) === after;
  if (showsBefore && showsAfter) return { kind: "twice", before, after };
  if (showsBefore) return { kind: "once", instant: wallClock - before };
  if (showsAfter) return { kind: "once", instant: wallClock - after };
  return { kind: "skipped", before, after };
}

/** A duration: days follow the calendar, minutes the clock. */
export interface Duration {
  readonly days: number;
  readonly minutes: number;
}

/**
 * The instant a duration later: the same wall clock that many days later, then the exact minutes.
 * A wall clock that is skipped or repeated there is read with the offset before the change. @see RFC 5545 §3.3.5
 */
export function addDuration(instant: number, { days, minutes }: Duration, zone: string): number {
  return addCalendarDays(instant, days, zone) + minutes * MINUTE_MS;
}

function addCalendarDays(instant: number, days: number, zone: string): number {
  // Not through the wall clock: of a repeated time the second would become the first.
  if (days === 0) return instant;
  return instantAt(wallClockAt(instant, zone) + days * DAY_MS, zone);
}

/**
 * When the zone's clock shows `wallClock`. One that a clock change skips or repeats is read with the offset before it: of a
 * day that has no midnight this is when it starts.
 */
export function instantAt(wallClock: number, zone: string): number {
  const reading = readWallClock(wallClock, zone);
  return reading.kind === "once" ? reading.instant : wallClock - reading.before;
}

/** What the zone's clock shows at an instant. */
export function wallClockAt(instant: number, zone: string): number {
  return instant + offsetAt(instant, zone);
}

/** The day of an instant in a zone, as `YYYY-MM-DD`. */
export function localDate(instant: number, zone: string): string {
  return instantToDate(wallClockAt(instant, zone));
}

/** `2026-11-21T15:00:00+09:00`: fractions are dropped, UTC is `+00:00`. */
export function formatLocal(instant: number, zone: string): string {
  // ISO 8601 offsets have no seconds: those of old local mean times are rounded, the instant is not.
  const offset = Math.round(offsetAt(instant, zone) / MINUTE_MS) * MINUTE_MS;
  return new Date(instant + offset).toISOString().slice(0, -".000Z".length) + formatOffset(offset);
}

/**
 * A date, or a date and time as `formatLocal` gives it, for notes: `Sat 2026-11-21 15:00 Asia/Tokyo`. A time that a
 * clock change repeats has its offset.
 */
export function describeLocal(local: string, zone: string): string {
  const [date = "", clock] = local.split("T");
  const day = `${new Date(dateToInstant(date)).toUTCString().slice(0, 3)} ${date}`;
  if (clock === undefined) return day;
  return `${day} ${clock.slice(0, 5)}${repeatedOffset(local, zone)} ${zone}`;
}

/** The offset of a date and time as `formatLocal` gives it, if a clock change repeats the time; otherwise nothing. */
export function repeatedOffset(local: string, zone: string): string {
  const { kind } = readWallClock(Date.parse(`${local.slice(0, 19)}Z`), zone);
  return kind === "twice" ? local.slice(19) : "";
}

/**
 * A date, or a date and time as `formatLocal` gives it, as a person would type it in the zone: `2026-11-21T15:00`. A time
 * that a clock change repeats keeps its offset.
 */
export function formatTyped(local: string, zone: string): string {
  const [date = "", clock] = local.split("T");
  if (clock === undefined) return date;
  const wallClock = parseWireDateTime(`${date}T${clock.slice(0, 8)}Z`)?.instant ?? null;
  if (wallClock === null || readWallClock(wallClock, zone).kind !== "once") return local;
  return `${date}T${clock.slice(0, clock.slice(5, 8) === ":00" ? 5 : 8)}`;
}

/** `+09:00`, from milliseconds. */
export function formatOffset(offset: number): string {
  if (offset === 0) return "+00:00";
  return FixedOffsetZone.instance(Math.round(offset / MINUTE_MS)).formatOffset(0, "short");
}

/** What the clock of a zone is ahead of UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, zone: string): number {
  // The default zone of many machines: skips loading Intl.
  if (zone === "UTC") return 0;
  // luxon keeps a zone for every spelling, and a request may spell one in 2^n ways: `eUrOpE/bErLiN`.
  return Math.round(IANAZone.create(zone.toLowerCase()).offset(instant) * MINUTE_MS);
}

/** All-day events are dates, not instants: the date counts as written, whatever the offset or the chosen zone. */

/** The date as `YYYY-MM-DD`, `days` later. */
export function addDays(date: string, days: number): string {
  return instantToDate(dateToInstant(date) + days * DAY_MS);
}

interface DaySpan {
  /** `YYYY-MM-DD`. */
  readonly first: string;
  /** The last day itself, as a person names it; null when the end is missing or cannot be read. */
  readonly last: string | null;
}

/**
 * The days of an all-day event, null when its start is missing or cannot be read. On the wire it ends at the
 * midnight after its last day; an end that equals the start is one day, as some services count.
 */
export function daySpan(event: Pick<Event, "start_at" | "end_at">): DaySpan | null {
  const first = dateOf(event.start_at);
  if (first === null) return null;
  const end = dateOf(event.end_at);
  if (end === null) return { first, last: null };
  return { first, last: end === first ? first : addDays(end, -1) };
}

function dateOf(text: string | null): string | null {
  return text === null ? null : (parseWireDateTime(text)?.date ?? null);
}

/** A clock change: when it is, and the offsets before and after it in milliseconds east of UTC. */
export interface ZoneChange {
  readonly instant: number;
  readonly before: number;
  readonly after: number;
}

/** Shorter than any time between two clock changes. */
const STEP = 7 * DAY_MS;
const SECOND_MS = 1000;

/** The clock changes of a zone between two instants, in order. Instants are milliseconds since the Unix epoch. */
export function zoneChanges(zone: string, from: number, to: number): readonly ZoneChange[] {
  const changes: ZoneChange[] = [];
  let before = offsetAt(from, zone);
  for (let start = from; start < to; start += STEP) {
    const end = Math.min(start + STEP, to);
    const after = offsetAt(end, zone);
    if (after !== before) changes.push({ instant: findChange(zone, start, end), before, after });
    before = after;
  }
  return changes;
}

/** The first second at which the zone has the offset that it has at `end`. */
function findChange(zone: string, start: number, end: number): number {
  const after = offsetAt(end, zone);
  let [low, high] = [Math.floor(start / SECOND_MS), Math.ceil(end / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * SECOND_MS, zone) === after) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}
