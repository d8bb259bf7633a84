import { parseWireDateTime } from "../../../contract/date-time.js";
import { HEX_COLOR } from "../../../contract/limits.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { symbolsOf } from "../../output/style.js";
import { truncateText } from "../../output/table/text-width.js";
import type { DrawOptions, Hours } from "../../output/view.js";
import { repeatedOffset } from "../../time/zoned-time.js";
import { type DayEntry, lastsAllDay } from "../day-list.js";
import { isRepeating, type LocalizedEvent } from "../localized-event.js";
import { dayOf, describeDay } from "./day-names.js";
import { clockOf, describeOtherZone, titleOf } from "./event-when.js";

/** What an event says on one of its days, whatever it is laid out as: a list, a message, a page. */

export interface EntryOptions extends DrawOptions {
  /** Today in the chosen zone, as `YYYY-MM-DD`; null for text that is read later, in which nothing is relative. */
  readonly today: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** The chosen zone. */
  readonly zone: string;
  readonly hours?: Hours | undefined;
  /** Whether each entry names the calendar. */
  readonly showCalendar: boolean;
  /** Colors of the calendars by id. */
  readonly calendarColors: ReadonlyMap<string, string | null>;
  /** The id as it is shown. */
  readonly idOf: (event: LocalizedEvent) => string;
  /** What else is noted beside the name; may be empty. */
  readonly noteOf?: (event: LocalizedEvent) => string;
}

/** Columns of a calendar's name. */
const MAX_CALENDAR_WIDTH = 20;

/** The name of a day, with its year unless that is this year. */
export function headingOf(date: string | null, { today }: Pick<EntryOptions, "today">): string {
  if (date === null) return "No date";
  return describeDay(dayOf(date), { year: date.slice(0, 4) !== today?.slice(0, 4) });
}

/** One event of one day, before it is laid out. All text is sanitized. */
export interface EntryText {
  readonly state: "over" | "running" | "ahead";
  readonly mark: string;
  readonly time: string;
  readonly dot: string;
  readonly dotColor: string | null;
  /** The name and the notes on it. */
  readonly title: string;
  readonly name: string;
  /** `↻`, `(day 1 of 2)`, `[label]`, `(ends 14:05 Europe/Paris)`; none is empty. */
  readonly notes: readonly string[];
  /** What the title leads to. */
  readonly url: string | null;
  readonly location: string;
  /** Calendar and id, at the right. */
  readonly calendar: string;
  readonly calendarColor: string | null;
  readonly id: string;
}

/** What one line says. @param date the day it is listed under; null without one */
export function describeEntry(
  entry: DayEntry<LocalizedEvent>,
  date: string | null,
  options: EntryOptions,
): EntryText {
  const { event } = entry;
  const { showCalendar, calendarColors, idOf, noteOf } = options;
  const symbols = symbolsOf(options);
  const state = date === null ? "ahead" : stateOf(event, options);
  const name = titleOf(event);
  const notes = [
    isRepeating(event) ? symbols.repeats : "",
    spanNote(entry, options),
    labelNote(event, options),
    zoneNote(entry, options),
    noteOf?.(event) ?? "",
  ].filter((note) => note !== "");
  return {
    state,
    mark: state === "running" && event.all_day !== true ? symbols.running : " ",
    time: date === null ? "" : timeText(entry, options),
    dot: symbols.dot,
    dotColor: dotColorOf(event, options),
    title: [name, ...notes].join(" "),
    name,
    notes,
    url: event.url,
    location: sanitizeLine(event.location ?? "").trim(),
    calendar: showCalendar ? calendarText(event) : "",
    calendarColor: calendarColors.get(event.calendar_id) ?? null,
    id: sanitizeLine(idOf(event)),
  };
}

/** The name of the calendar. One long name must not take the room of every title. */
function calendarText({ calendar_name, calendar_id }: LocalizedEvent): string {
  return truncateText(sanitizeLine(calendar_name || calendar_id).trim(), MAX_CALENDAR_WIDTH);
}

/** Null where no color is shown. */
function dotColorOf({ label }: LocalizedEvent, { style }: EntryOptions): string | null {
  const color = label?.color ?? null;
  return style.enabled && HEX_COLOR.test(color ?? "") ? color : null;
}

function stateOf(event: LocalizedEvent, { today, now }: EntryOptions): EntryText["state"] {
  if (today === null) return "ahead";
  if (isEventOver(event, { today, now })) return "over";
  const start = parseWireDateTime(event.start_at ?? "");
  return event.all_day !== true && start !== null && start.instant <= now ? "running" : "ahead";
}

/** Whether an event has ended; one without a readable end has when it starts. */
export function isEventOver(
  event: LocalizedEvent,
  { today, now }: { readonly today: string; readonly now: number },
): boolean {
  if (event.all_day === true) return (event.end_local ?? event.start_local ?? today) < today;
  const end = parseWireDateTime(event.end_at ?? event.start_at ?? "");
  return end !== null && end.instant <= now;
}

/** `09:30–10:00`, `all day`; of an event on several days `22:00 →`, `→ all day →` or `→ 02:00`. */
function timeText({ event, part }: DayEntry<LocalizedEvent>, options: EntryOptions): string {
  const { arrow, dash } = symbolsOf(options);
  const start = clockText(event.start_local, options);
  const end = clockText(event.end_local, options);
  const isWholeDay = lastsAllDay({ event, part });
  switch (part) {
    case "first":
      return `${isWholeDay ? "all day" : start} ${arrow}`;
    case "middle":
      return `${arrow} all day ${arrow}`;
    case "last":
      return `${arrow} ${isWholeDay ? "all day" : end}`;
    case "whole":
      if (isWholeDay) return "all day";
      return event.end_local === null || event.end_local === event.start_local
        ? start
        : `${start}${dash}${end}`;
  }
}

/** `HH:mm`, with the offset in an hour that a clock change repeats. */
function clockText(local: string | null, { zone, hours }: EntryOptions): string {
  if (local === null) return "";
  return `${clockOf(local, hours)}${repeatedOffset(local, zone)}`;
}

/** What an event on several days does on the others: `(day 2 of 3)`, `(until Sun 02:00)`. */
function spanNote({ event, part, day, days }: DayEntry<LocalizedEvent>, options: EntryOptions): string {
  if (part === "whole") return "";
  if (event.all_day === true) return `(day ${day} of ${days})`;
  const [word, local] = part === "last" ? ["since", event.start_local] : ["until", event.end_local];
  if (local === null) return "";
  const name = dayOf(local.slice(0, 10));
  const year = event.start_local?.slice(0, 4) !== event.end_local?.slice(0, 4);
  return `(${word} ${days > 7 || year ? describeDay(name, { year }) : name.weekday} ${clockText(local, options)})`;
}

/** The name of a label that no color shows. */
function labelNote({ label }: LocalizedEvent, { style }: EntryOptions): string {
  if (style.enabled || label === null) return "";
  const name = sanitizeLine(label.name ?? "").trim();
  return name === "" ? "" : `[${name}]`;
}

/** The clock of the other zone, on the day that shows the start of the event. */
function zoneNote({ event, part }: DayEntry<LocalizedEvent>, options: EntryOptions): string {
  return part === "middle" || part === "last" ? "" : describeOtherZone(event, options);
}
