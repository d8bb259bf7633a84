import { DAY_MS, dateToInstant } from "../../contract/date-time.js";

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** A day as its parts are written. */
export interface DayName {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly weekday: string;
  /** As `Date` counts: 0 is Sunday. */
  readonly dayOfWeek: number;
  readonly date: number;
  readonly month: string;
  readonly year: number;
}

/** @param date `YYYY-MM-DD` */
export function dayOf(date: string): DayName {
  const midnight = dateToInstant(date);
  const utc = new Date(midnight);
  return {
    day: midnight / DAY_MS,
    weekday: WEEKDAYS[utc.getUTCDay()] ?? "",
    dayOfWeek: utc.getUTCDay(),
    date: utc.getUTCDate(),
    month: MONTHS[utc.getUTCMonth()] ?? "",
    year: utc.getUTCFullYear(),
  };
}

/** `Sat 21 Nov`, or `Sat 21 Nov 2026`. */
export function describeDay(
  { weekday, date, month, year }: DayName,
  options: { readonly year: boolean },
): string {
  return `${weekday} ${date} ${month}${options.year ? ` ${year}` : ""}`;
}
