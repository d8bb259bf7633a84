import { DAY_MS, dateToInstant, MINUTE_MS, parseWireDateTime } from "../../contract/date-time.js";
import type { LocalizedEvent } from "../calendar/event-view.js";
import { localDate } from "../calendar/zoned-time.js";

/** When an event starts, as seen from now. */

export interface MomentOptions {
  /** The chosen zone. */
  readonly zone: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** `In 15 min`, `Now`, `Started 10 min ago`; of an all-day event `Today` or `Tomorrow`. */
export function describeStart(event: LocalizedEvent, { zone, now }: MomentOptions): string {
  if (event.all_day === true) return describeStartDay(event, localDate(now, zone));
  const start = parseWireDateTime(event.start_at ?? "");
  if (start === null) return "Reminder";
  const minutes = Math.round((start.instant - now) / MINUTE_MS);
  if (minutes === 0) return "Now";
  return minutes > 0 ? `In ${describeMinutes(minutes)}` : `Started ${describeMinutes(-minutes)} ago`;
}

function describeStartDay({ start_local }: LocalizedEvent, today: string): string {
  if (start_local === null) return "Reminder";
  const days = (dateToInstant(start_local) - dateToInstant(today)) / DAY_MS;
  if (days === 0) return "Today";
  if (days === 1) return "Tomorrow";
  if (days === -1) return "Since yesterday";
  return days > 0 ? `In ${days} days` : `Started ${-days} days ago`;
}

/** `45 min`, `1 h 30 min`, `2 days 3 h` */
function describeMinutes(minutes: number): string {
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24];
  const parts = [
    days === 0 ? "" : `${days} ${days === 1 ? "day" : "days"}`,
    hours === 0 ? "" : `${hours} h`,
    minutes % 60 === 0 || days > 0 ? "" : `${minutes % 60} min`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}
