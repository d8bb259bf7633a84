import { DAY_MS, dateToInstant, MINUTE_MS, parseWireDateTime } from "../../../contract/date-time.js";
import type { ChangeKind, EventChange } from "../../events/changes/compare.js";
import { type DayRange, lastsAllDay, listByDay } from "../../events/day-list.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { headingOf } from "../../events/views/day-entry.js";
import { describeDifference } from "../../events/views/event-difference.js";
import { describeDayRange, titleOf } from "../../events/views/event-when.js";
import { addDays, localDate } from "../../time/zoned-time.js";
import { cutText } from "./text-length.js";

/** The title of a message, which is all that a phone shows of it. */

export interface MomentOptions {
  /** The chosen zone. */
  readonly zone: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export interface FirstLineOptions extends MomentOptions {
  /** The days that were read. */
  readonly range: DayRange;
  /** What the events were chosen by, beside the days: `label Visits`. */
  readonly filters: readonly string[];
}

/** Code points of a name, of one filter and of all of them, so that a long one leaves room for the rest. */
const MAX_NAME = 80;
const MAX_FILTER = 40;
const MAX_FILTERS = 60;

export const CHANGE_WORDS: Readonly<Record<ChangeKind, string>> = {
  added: "New",
  changed: "Changed",
  removed: "Removed",
};

/** `Sat 21 Nov`, `Today, Sat 21 Nov`, `No date`; with the year unless it is this year. @param today `YYYY-MM-DD` */
export function nameDay(date: string | null, today: string): string {
  const word = relativeDay(date, today);
  const name = headingOf(date, { today });
  return word === null ? name : `${word.charAt(0).toUpperCase()}${word.slice(1)}, ${name}`;
}

/** `Today, Mon 23 Nov: 9 events, first 09:30 Daily stand-up (label Visits)` */
export function describeDigest(events: readonly LocalizedEvent[], options: FirstLineOptions): string {
  const { range: days, zone, now, filters } = options;
  const first = firstStart(events, options);
  const count = `${events.length === 0 ? "no" : events.length} ${events.length === 1 ? "event" : "events"}`;
  const event =
    first === null ? "" : `, ${events.length === 1 ? "" : "first "}${describeEvent(first, options)}`;
  const name = nameRange(days, localDate(now, zone));
  return `${name === "" ? "" : `${name}: `}${count}${event}${filterNote(filters)}`;
}

/**
 * `Removed: today 16:00 Dentist, and 2 more`: the change of the nearest day; of one day what was removed, then what changed, then
 * what is new.
 */
export function describeChanges(
  changes: readonly EventChange<LocalizedEvent>[],
  options: FirstLineOptions,
): string {
  const { range: days, zone, now, filters } = options;
  const today = localDate(now, zone);
  const keyOf = ({ change, event: { start_local: start } }: EventChange<LocalizedEvent>) => {
    const date = start === null || start.slice(0, 10) > today ? (start?.slice(0, 10) ?? "no date") : today;
    return `${date} ${GRAVITY.indexOf(change)} ${start}`;
  };
  const [first, ...others] = changes.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  if (first === undefined) return `No changes, ${nameRange(days, today)}${filterNote(filters)}`;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const { change, event, before } = first;
  const { time, others: parts } = describeDifference(before ?? event, event);
  const [was = ""] = time === "" ? parts : [time];
  const what = `${describeEvent(event, options)}${was === "" ? "" : `, ${was}`}`;
  return `${CHANGE_WORDS[change]}: ${what}${more}${filterNote(filters)}`;
}

/** From what a reader has to know first. */
const GRAVITY: readonly ChangeKind[] = ["removed", "changed", "added"];

/** The first that begins at a time on one of the days; without one the first of the list, such as an all-day event. */
function firstStart(events: readonly LocalizedEvent[], { range }: FirstLineOptions): LocalizedEvent | null {
  const entries = listByDay(events, range).flatMap((day) => (day.date === null ? [] : day.entries));
  const begins = entries.find((entry) => !lastsAllDay(entry) && ["whole", "first"].includes(entry.part));
  return (begins ?? entries[0])?.event ?? events[0] ?? null;
}

/** `09:30 Daily stand-up`, `tomorrow all day Holiday`; without the day where the days are only one. */
function describeEvent(event: LocalizedEvent, { range: days, zone, now }: FirstLineOptions): string {
  const { start_local: start, all_day } = event;
  const name = cutText(titleOf(event), MAX_NAME, "code points");
  const date = start?.slice(0, 10) ?? "";
  // One that goes on since another day has no time on these.
  if (start === null || (all_day !== true && days.first !== null && date < days.first)) return name;
  const today = localDate(now, zone);
  const isOnlyDay = days.first !== null && days.first === days.last;
  const day = isOnlyDay ? "" : `${relativeDay(date, today) ?? headingOf(date, { today })} `;
  return `${day}${all_day === true ? "all day" : start.slice(11, 16)} ${name}`;
}

/** `Today, Mon 23 Nov`, `Mon 23 – Sun 29 Nov`, `From Mon 23 Nov`; empty for every day. */
function nameRange(days: DayRange, today: string): string {
  if (days.first !== null && days.first === days.last) return nameDay(days.first, today);
  const range = describeDayRange(days, { year: today.slice(0, 4) !== (days.last ?? today).slice(0, 4) });
  return `${range.charAt(0).toUpperCase()}${range.slice(1)}`;
}

function relativeDay(date: string | null, today: string): "today" | "tomorrow" | null {
  if (date === today) return "today";
  return date === addDays(today, 1) ? "tomorrow" : null;
}

function filterNote(filters: readonly string[]): string {
  const names = filters.map((filter) => cutText(filter, MAX_FILTER, "code points"));
  return names.length === 0 ? "" : ` (${cutText(names.join(", "), MAX_FILTERS, "code points")})`;
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
