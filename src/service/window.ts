import { localDate, readWallClock } from "../calendar/zoned-time.js";
import { DAY_MS, dateToInstant } from "../contract/date-time.js";

/** Some whole days of a timezone. Instants are milliseconds since the epoch, ends are exclusive. */
export interface DayWindow {
  /** The midnight that begins the first day, in the zone. */
  readonly start: number;
  /** The midnight that ends the last day, in the zone. */
  readonly end: number;
  /** The same dates as all-day events hold them: midnights UTC. */
  readonly firstDate: number;
  readonly endDate: number;
}

export interface DayWindowOptions {
  /** IANA name. */
  readonly timezone: string;
  readonly days: number;
}

/** The days from that of `now` on, as clocks in the timezone count them: a day may have 23 or 25 hours. */
export function dayWindow(now: number, { timezone, days }: DayWindowOptions): DayWindow {
  const firstDate = dateToInstant(localDate(now, timezone));
  const endDate = firstDate + days * DAY_MS;
  return { start: startOfDay(firstDate, timezone), end: startOfDay(endDate, timezone), firstDate, endDate };
}

/** Where clocks change at midnight it may come twice, then the first counts, or never, then the change does. */
function startOfDay(midnight: number, timezone: string): number {
  const reading = readWallClock(midnight, timezone);
  return reading.kind === "once" ? reading.instant : midnight - reading.before;
}
