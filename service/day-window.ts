import { DAY_MS, dateToInstant, MINUTE_MS } from "../contract/date-time.js";
import { addDays, localDate, readWallClock } from "../src/calendar/zoned-time.js";

/** Whole days in a timezone, in milliseconds since the epoch. Ends are exclusive. */
export interface DayWindow {
  /** Midnight in the zone at which the first day starts. */
  readonly start: number;
  /** Midnight in the zone at which the last day ends. */
  readonly end: number;
  /** The same days as midnights UTC, which is how all-day events are stored. */
  readonly firstDate: number;
  readonly endDate: number;
}

/** A window that begins today. */
export interface WindowOfToday {
  readonly window: DayWindow;
  /** When today ends in the zone (ms since the epoch). */
  readonly until: number;
}

export interface DaysFromToday {
  /** IANA name. */
  readonly timezone: string;
  readonly days: number;
}

/** The window of `days` days from today in the timezone. */
export function dayWindow(now: number, { timezone, days }: DaysFromToday): WindowOfToday {
  const from = localDate(now, timezone);
  const window = windowOfDays({ from, to: addDays(from, days - 1), timezone });
  return { window, until: startOfDay(window.firstDate + DAY_MS, timezone) };
}

/** `dayWindow` that caches the windows of the current minute: days begin, and clocks change, at whole minutes. */
export function createDayWindowCache(): typeof dayWindow {
  let current = Number.NaN;
  const windows = new Map<string, WindowOfToday>();
  return (now, days) => {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== current) windows.clear();
    current = minute;
    const key = `${days.days} ${days.timezone.toLowerCase()}`;
    const window = windows.get(key) ?? dayWindow(now, days);
    windows.set(key, window);
    return window;
  };
}

export interface Days {
  /** `YYYY-MM-DD`: the first and the last day; null for no limit. */
  readonly from: string | null;
  readonly to: string | null;
  /** IANA name. */
  readonly timezone: string;
}

/** The window of the days. A day may have 23 or 25 hours. */
export function windowOfDays({ from, to, timezone }: Days): DayWindow {
  const firstDate = from === null ? Number.MIN_SAFE_INTEGER : dateToInstant(from);
  const endDate = to === null ? Number.MAX_SAFE_INTEGER : dateToInstant(to) + DAY_MS;
  return {
    start: from === null ? firstDate : startOfDay(firstDate, timezone),
    end: to === null ? endDate : startOfDay(endDate, timezone),
    firstDate,
    endDate,
  };
}

/**
 * When a day starts in a timezone. If a clock change repeats midnight, the first one; if it skips midnight, the time of the
 * change.
 * @param midnight of the date in UTC
 */
function startOfDay(midnight: number, timezone: string): number {
  const reading = readWallClock(midnight, timezone);
  return reading.kind === "once" ? reading.instant : midnight - reading.before;
}

/** A window that covers every window of up to `days` days that begins today, in any timezone. */
export function coveringWindow(now: number, days: number): DayWindow {
  const today = now - (now % DAY_MS);
  const start = today - DAY_MS;
  const end = today + (days + 1) * DAY_MS;
  return { start, end, firstDate: start, endDate: end };
}

/** Whether every event that overlaps the other window overlaps this one. */
export function includesWindow(window: DayWindow, other: DayWindow): boolean {
  return (
    window.start <= other.start &&
    window.end >= other.end &&
    window.firstDate <= other.firstDate &&
    window.endDate >= other.endDate
  );
}

/** When an event is: an all-day one has the midnights UTC of its dates. */
export interface EventTimes extends TimeSpan {
  readonly allDay: boolean;
}

/** Whether an event overlaps a window. `overlaps` of `store/event-windows.ts` is the same in SQL. */
export function overlapsWindow({ allDay, start, end }: EventTimes, window: DayWindow): boolean {
  return allDay ? end > window.firstDate && start < window.endDate : end > window.start && start < window.end;
}

/** The shortest span that has the events of a window, timed and all-day ones. */
export function spanOf({ start, end, firstDate, endDate }: DayWindow): TimeSpan {
  return { start: Math.min(start, firstDate), end: Math.max(end, endDate) };
}

/** Milliseconds since the epoch, the end exclusive. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}
