import { dateToInstant, instantToDate, parseWireDateTime } from "../contract/date-time.js";
import type { CalendarEvent } from "../contract/shapes.js";

/** All-day events are dates, not instants: the date part counts as written, whatever the offset or the viewer's zone. */

export const DAY_MS = 86_400_000;

/** `YYYY-MM-DD` so many days later. */
export function addDays(date: string, days: number): string {
  return instantToDate(dateToInstant(date) + days * DAY_MS);
}

export interface DaySpan {
  /** `YYYY-MM-DD`. */
  readonly first: string;
  /** The last day itself, as a person names it; null when the end is missing or cannot be read. */
  readonly last: string | null;
}

/**
 * The days of an all-day event, null when its start is missing or cannot be read. On the wire it ends at the
 * midnight after its last day; an end that equals the start is one day, as some services count.
 */
export function daySpan(event: Pick<CalendarEvent, "start_at" | "end_at">): DaySpan | null {
  const first = dateOf(event.start_at);
  if (first === null) return null;
  const end = dateOf(event.end_at);
  if (end === null) return { first, last: null };
  return { first, last: end === first ? first : addDays(end, -1) };
}

function dateOf(text: string | null): string | null {
  return text === null ? null : (parseWireDateTime(text)?.date ?? null);
}
