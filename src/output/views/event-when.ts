import type { LocalizedEvent } from "../../calendar/event-view.js";

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const DAY_MILLISECONDS = 86_400_000;
/** Within as many days a weekday alone names a day. */
const WEEK_DAYS = 6;

export interface WhenOptions {
  /** Whether the year is always shown; otherwise only where start and end lie in two. */
  readonly year: boolean;
}

/** A day of the viewer's calendar, with a time of day unless it stands for the whole day. */
interface LocalTime {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly weekday: string;
  readonly date: number;
  readonly month: string;
  readonly year: number;
  /** `HH:mm` */
  readonly time: string | null;
}

/**
 * When an event takes place, for eyes: `Sat 21 Nov 15:00–16:00`, `Sat 21 Nov  all day`, `Sat 21 – Sun 22 Nov`,
 * `Sat 21 Nov 22:00 – Sun 02:00`. Empty for a keep without times.
 */
export function describeWhen(
  { start_local, end_local }: Pick<LocalizedEvent, "start_local" | "end_local">,
  options: WhenOptions,
): string {
  const start = readLocal(start_local);
  const end = readLocal(end_local);
  if (start === null) return start_local ?? "";
  const hasEnd = end !== null && end_local !== start_local;
  if (start.time === null) {
    return hasEnd ? describeDays(start, end, options) : `${dayText(start, options)}  all day`;
  }
  const beginning = `${dayText(start, options)} ${start.time}`;
  if (!hasEnd || end.time === null) return beginning;
  const days = end.day - start.day;
  if (days === 0) return `${beginning}–${end.time}`;
  if (days > 0 && days <= WEEK_DAYS) return `${beginning} – ${end.weekday} ${end.time}`;
  const years = { year: options.year || start.year !== end.year };
  return `${dayText(start, years)} ${start.time} – ${dayText(end, years)} ${end.time}`;
}

function describeDays(first: LocalTime, last: LocalTime, options: WhenOptions): string {
  if (first.year !== last.year) return `${dayText(first, { year: true })} – ${dayText(last, { year: true })}`;
  const beginning =
    first.month === last.month ? `${first.weekday} ${first.date}` : dayText(first, { year: false });
  return `${beginning} – ${dayText(last, options)}`;
}

function dayText({ weekday, date, month, year }: LocalTime, options: WhenOptions): string {
  return `${weekday} ${date} ${month}${options.year ? ` ${year}` : ""}`;
}

function readLocal(text: string | null): LocalTime | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2}))?/.exec(text ?? "");
  if (match === null) return null;
  const [, year, month, date, time = null] = match;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(date));
  return {
    day: midnight / DAY_MILLISECONDS,
    weekday: WEEKDAYS[new Date(midnight).getUTCDay()] ?? "",
    date: Number(date),
    month: MONTHS[Number(month) - 1] ?? "",
    year: Number(year),
    time,
  };
}
