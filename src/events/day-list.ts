import { DAY_MS, dateToInstant } from "../../contract/date-time.js";
import { addDays } from "../time/zoned-time.js";
import type { LocalizedEvent } from "./localized-event.js";

/** The times of an event in the chosen zone. */
export type LocalTimes = Pick<LocalizedEvent, "all_day" | "start_local" | "end_local">;

/** Which part of an event a day shows: the whole, or its first, last or another day. */
type DayPart = "whole" | "first" | "middle" | "last";

/** An event on one of its days. */
export interface DayEntry<T> {
  readonly event: T;
  readonly part: DayPart;
  /** Number of the day within the event, from 1, and how many days it has. */
  readonly day: number;
  readonly days: number;
}

export interface Day<T> {
  /** `YYYY-MM-DD`; null for events without times. */
  readonly date: string | null;
  /** All-day events and those that last all day first, then by time. */
  readonly entries: readonly DayEntry<T>[];
}

/** The first and the last day, as `YYYY-MM-DD`; null for no limit. */
export interface DayRange {
  readonly first: string | null;
  readonly last: string | null;
}

/** Whether an event takes place on one of the days. */
export function isOnDays(
  { start_local: start, end_local: end }: LocalTimes,
  { first, last }: DayRange,
): boolean {
  if (start === null) return false;
  return (last === null || start.slice(0, 10) <= last) && (first === null || lastDayOf(start, end) >= first);
}

/**
 * Lists events under each of their days within the range, in the order given. An event without a day in the range is
 * listed under its first day; events without times come last. Days without events are left out.
 * @param once lists an event only under its first day, as a range without an end does
 */
export function listByDay<T extends LocalTimes>(
  events: readonly T[],
  range: DayRange,
  { once = range.first === null || range.last === null } = {},
): Day<T>[] {
  const days = new Map<string, DayEntry<T>[]>();
  const undated: DayEntry<T>[] = [];
  for (const event of events) {
    const entries = entriesOf(event, range, once);
    if (entries.length === 0) undated.push({ event, part: "whole", day: 1, days: 1 });
    for (const [date, entry] of entries) {
      const day = days.get(date);
      if (day === undefined) days.set(date, [entry]);
      else day.push(entry);
    }
  }
  const dated = [...days]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([date, entries]) => ({ date, entries: entries.toSorted(compareEntries) }));
  return undated.length === 0 ? dated : [...dated, { date: null, entries: undated }];
}

function entriesOf<T extends LocalTimes>(
  event: T,
  range: DayRange,
  once: boolean,
): (readonly [string, DayEntry<T>])[] {
  const { start_local: start, end_local: end } = event;
  if (start === null) return [];
  const first = start.slice(0, 10);
  const last = lastDayOf(start, end);
  const days = dayNumber(last) - dayNumber(first) + 1;
  const from = range.first !== null && range.first > first ? range.first : first;
  const to = range.last !== null && range.last < last ? range.last : last;
  const listed = once ? [from] : datesFrom({ first: from, last: to });
  return (listed.length === 0 ? [first] : listed).map((date) => {
    const day = dayNumber(date) - dayNumber(first) + 1;
    return [date, { event, part: partOf(day, days), day, days }];
  });
}

/** Days since 1970-01-01. */
function dayNumber(date: string): number {
  return dateToInstant(date) / DAY_MS;
}

/** An event that ends at midnight does not take place on the day that begins there. */
function lastDayOf(start: string, end: string | null): string {
  if (end === null || end <= start.slice(0, 10)) return start.slice(0, 10);
  const last = end.slice(0, 10);
  const endsAtMidnight = end.slice(10, 19) === "T00:00:00" && end !== start;
  return endsAtMidnight ? addDays(last, -1) : last;
}

/** The days of a range, with an entry also for those without events. */
export function fillDays<T>(days: readonly Day<T>[], range: DayRange): Day<T>[] {
  const missing = datesFrom(range).filter((date) => days.every((day) => day.date !== date));
  const filled = [...days, ...missing.map((date) => ({ date, entries: [] }))];
  return filled.sort((one, other) => ((one.date ?? "9999-99") < (other.date ?? "9999-99") ? -1 : 1));
}

/** Every day from the first to the last, as `YYYY-MM-DD`; none of a range without an end. */
export function datesFrom({ first, last }: DayRange): string[] {
  if (first === null || last === null) return [];
  return Array.from({ length: Math.max(0, dayNumber(last) - dayNumber(first) + 1) }, (_, index) =>
    addDays(first, index),
  );
}

function partOf(day: number, days: number): DayPart {
  if (days === 1) return "whole";
  if (day === 1) return "first";
  return day === days ? "last" : "middle";
}

function compareEntries<T extends LocalTimes>(left: DayEntry<T>, right: DayEntry<T>): number {
  return orderOf(left) < orderOf(right) ? -1 : Number(orderOf(left) > orderOf(right));
}

/** The time of day at which an entry begins; an entry that lasts all day has none. */
function orderOf<T extends LocalTimes>({ event, part }: DayEntry<T>): string {
  if (lastsAllDay({ event, part })) return "";
  return part === "last" ? "T00:00:00" : (event.start_local ?? "").slice(10, 19);
}

/** Whether the event takes place from the start of the day to its end. */
export function lastsAllDay({ event, part }: Pick<DayEntry<LocalTimes>, "event" | "part">): boolean {
  return event.all_day === true || part === "middle";
}
