import { DAY_MS, dateToInstant, HOUR_MS, MINUTE_MS } from "../../contract/date-time.js";
import type { Event } from "../../contract/shapes.js";
import { usageError } from "../errors.js";
import { parseDuration } from "../time/dates.js";
import { instantAt, localDate, offsetAt } from "../time/zoned-time.js";
import { readSpan } from "./times.js";

/** Which starts of events are announced. All times are in milliseconds. */
export interface ReminderWindow {
  /** Since the Unix epoch. */
  readonly now: number;
  /** How long before its start an event is announced. */
  readonly before: number;
  /** How long after its start an event is announced that no run has announced before. */
  readonly grace: number;
  /** The time of day at which all-day events count as starting; null if they are not announced. */
  readonly allDayAt: number | null;
  /** The zone of that time of day. */
  readonly zone: string;
}

/** An event that is to be announced, and when it starts in milliseconds since the Unix epoch. */
export interface Reminder<T> {
  readonly event: T;
  readonly start: number;
}

/** The events whose start is in the window, by start. Keeps without times never are. */
export function findReminders<T extends Event>(
  events: readonly T[],
  window: ReminderWindow,
): readonly Reminder<T>[] {
  const { now, before, grace } = window;
  const starts = events.map((event) => ({ event, start: startOf(event, window) }));
  const isDue = (reminder: (typeof starts)[number]): reminder is Reminder<T> =>
    reminder.start !== null && reminder.start > now - grace && reminder.start <= now + before;
  return starts.filter(isDue).sort((left, right) => left.start - right.start);
}

/**
 * Events that existed when they started, too long ago to be announced; as far as they are listed. Of a series that was written
 * since, an event may have been moved to where it is.
 */
export function findLate<T extends Event>(
  events: readonly T[],
  window: ReminderWindow,
): readonly Reminder<T>[] {
  const existed = events.filter((event) => {
    const since = event.series_id === null ? event.created_at : (event.updated_at ?? event.created_at);
    const start = startOf(event, window);
    return start === null || !(Date.parse(since ?? "") > start);
  });
  const past = { ...window, now: window.now - window.grace, before: 0, grace: MAX_GRACE };
  return findReminders(existed, past);
}

/** Null for an event that is not announced. */
function startOf(event: Event, { allDayAt, zone }: ReminderWindow): number | null {
  const { allDay, start } = readSpan(event);
  if (allDay !== true || start === null) return start;
  return allDayAt === null ? null : instantAt(start + allDayAt, zone);
}

/** Parameters of `upcoming_events`. */
export interface UpcomingQuery {
  readonly timezone: string;
  readonly days: number;
}

/**
 * How to ask for every event that may have to be announced. `upcoming_events` begins at midnight of its time zone, so a
 * zone is chosen in which the earliest start is still today. All-day events are dates, and may need another zone.
 */
export function reminderQueries(window: ReminderWindow): readonly UpcomingQuery[] {
  const { now, before, grace, allDayAt, zone } = window;
  const earliest = now - grace;
  // What was missed is said, too.
  const earliestTimed = now - MAX_GRACE;
  const timed = (offset: number) => queryFrom(now, offset, localDay(now + before, offset));
  const timedOffset = latestMidnight(now, (offset) => localDay(now, offset) - offset <= earliestTimed);
  if (allDayAt === null) return [timed(timedOffset)];
  const [first, last] = [earliest, now + before].map((time) => dateToInstant(localDate(time, zone)));
  const allDayOffset = latestMidnight(now, (offset) => localDay(now, offset) <= (first ?? 0));
  const queries = [timed(timedOffset), queryFrom(now, allDayOffset, last ?? 0)];
  return timedOffset === allDayOffset ? [{ ...timed(timedOffset), days: longest(queries) }] : queries;
}

function longest(queries: readonly UpcomingQuery[]): number {
  return Math.max(...queries.map(({ days }) => days));
}

/** Offsets that have a zone of their own, in hours. @see the IANA time zone database, `etcetera` */
const OFFSETS = Array.from({ length: 27 }, (_, index) => (index - 12) * HOUR_MS);

/** The offset whose midnight before now is the last one that fits. */
function latestMidnight(now: number, fits: (offset: number) => boolean): number {
  const midnight = (offset: number) => localDay(now, offset) - offset;
  return OFFSETS.filter(fits).reduce((best, offset) => (midnight(offset) > midnight(best) ? offset : best));
}

/** The day at an offset, as midnight UTC of its date. */
function localDay(instant: number, offset: number): number {
  return Math.floor((instant + offset) / DAY_MS) * DAY_MS;
}

function queryFrom(now: number, offset: number, last: number): UpcomingQuery {
  const days = Math.max((last - localDay(now, offset)) / DAY_MS + 1, 1);
  return { timezone: zoneOf(offset), days };
}

/** The sign is that of POSIX: `Etc/GMT-9` is nine hours ahead of UTC. */
function zoneOf(offset: number): string {
  if (offset === 0) return "UTC";
  return `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset) / HOUR_MS}`;
}

/** So that no more than the seven days are needed that a service lists. */
const MAX_BEFORE = 5 * DAY_MS;
/** So that there is a zone in which the day of the earliest start is still today. */
const MAX_GRACE = 12 * HOUR_MS;

/**
 * Checks that one can ask for every event of a window.
 * @throws CliError usage
 */
export function checkWindow({ now, before, grace, allDayAt, zone }: ReminderWindow): void {
  if (before > MAX_BEFORE)
    throw usageError("--before is longer than 5 days", "services list only the next seven days");
  const offsets = [now, now + 183 * DAY_MS].map((time) => offsetAt(time, zone));
  // Nowhere is it earlier than twelve hours behind UTC.
  const most = allDayAt === null ? MAX_GRACE : Math.min(MAX_GRACE, MAX_GRACE + Math.min(...offsets));
  if (grace <= most) return;
  const longest = `${Math.floor(most / HOUR_MS)}h${most % HOUR_MS === 0 ? "" : " 30m"}`;
  const where = most < MAX_GRACE ? ` with --all-day-at in ${zone}` : "";
  throw usageError(`--grace can be at most ${longest}${where}`);
}

/** Reads a duration, or 0, in milliseconds; a day has 24 hours. @throws CliError usage */
export function parseLead(text: string, source: string): number {
  if (/^0+[a-z]*$/i.test(text.trim())) return 0;
  const { days, minutes } = parseDuration(text, source);
  return days * DAY_MS + minutes * MINUTE_MS;
}

const TIME_OF_DAY = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** Reads `HH:MM` or `H:MM`, in milliseconds since midnight. @throws CliError usage */
export function parseTimeOfDay(text: string, source: string): number {
  const match = TIME_OF_DAY.exec(text);
  if (match !== null) return Number(match[1]) * HOUR_MS + Number(match[2]) * MINUTE_MS;
  throw usageError(`${source}: "${text}" is not a time of day`, "write hours and minutes as in 08:00");
}
