import { DAY_MS, dateToInstant } from "../contract/date-time.js";
import { addDays, instantAt, localDate } from "../src/time/zoned-time.js";

/** Whole days in a timezone, in milliseconds since the epoch. Ends are exclusive. */
export interface DayWindow {
  /** Midnight in the zone at which the first day starts. */
  readonly start: number;
  /** Midnight in the zone at which the last day ends. */
  readonly end: number;
  /** The same days as midnights UTC, which is how all-day events are stored. */
  readonly firstDate: number;
  readonly endDate: number;
  /** The shortest span that has the timed and the all-day events of these days. */
  readonly spanStart: number;
  readonly spanEnd: number;
}

/**
 * The window of `days` days from today in the timezone (IANA name), and when today ends there.
 * @param now milliseconds since the epoch, like `until`
 */
export function dayWindow(
  now: number,
  { timezone, days }: { readonly timezone: string; readonly days: number },
) {
  const from = localDate(now, timezone);
  const window = windowOfDays({ from, to: addDays(from, days - 1), timezone });
  return { window, until: instantAt(window.firstDate + DAY_MS, timezone) };
}

interface Days {
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
  const start = from === null ? firstDate : instantAt(firstDate, timezone);
  const end = to === null ? endDate : instantAt(endDate, timezone);
  const [spanStart, spanEnd] = [Math.min(start, firstDate), Math.max(end, endDate)];
  return { start, end, firstDate, endDate, spanStart, spanEnd };
}

/** Milliseconds since the epoch, the end exclusive. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}
