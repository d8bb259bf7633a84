import { parseWireDateTime } from "../../../contract/date-time.js";
import { HEX_COLOR } from "../../../contract/limits.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { inCharset, symbolsOf } from "../../output/style.js";
import { padText, textWidth, truncateText, wrapText } from "../../output/table/text-width.js";
import type { DrawOptions, Hours } from "../../output/view.js";
import { dayOf, describeDay } from "../../time/day-names.js";
import { addDays, repeatedOffset } from "../../time/zoned-time.js";
import { type Day, type DayEntry, lastsAllDay } from "../day-list.js";
import { isRepeating, type LocalizedEvent } from "../localized-event.js";
import { clockOf, describeOtherZone, titleOf } from "./event-when.js";

/** Columns between the parts of a line. */
const GAP = "  ";
/** A title is wrapped into no fewer columns than this; calendar and id then have a line of their own. */
const MIN_TITLE_WIDTH = 24;
/** A location is cut to no fewer columns than this. */
const MIN_LOCATION_WIDTH = 8;
/** A calendar's name is cut to no fewer columns than this, where an id leaves no more. */
const MIN_CALENDAR_WIDTH = 3;
/** Before the time of an event. */
const INDENT = 2;

/** Draws days as headings with their events below, for terminals from 40 columns. */
export function drawDayList(days: readonly Day<LocalizedEvent>[], options: EntryOptions): string {
  const drawn = days.map(({ date, entries }) => ({
    heading: drawHeading(date, options),
    lines: entries.map((entry) => describeEntry(entry, date, options)),
  }));
  const all = drawn.flatMap(({ lines }) => lines);
  const columns = columnsFor(all, options);
  const text = drawn
    .map(({ heading, lines }) => [heading, ...drawLines(lines, columns, options)])
    .map((block) => block.map((line) => `${line.trimEnd()}\n`).join(""))
    .join("\n");
  return inCharset(text, options);
}

function drawLines(lines: readonly EntryText[], columns: LineColumns, options: EntryOptions): string[] {
  if (lines.length === 0) return [options.style.dim("  no events")];
  return lines.flatMap((line) => drawLine(line, columns, options));
}

function drawHeading(date: string | null, { style, today }: EntryOptions): string {
  const heading = style.bold(headingOf(date, { today }));
  if (today === null) return heading;
  const word = RELATIVE_DAYS.find(([days]) => addDays(today, days) === date)?.[1];
  return word === undefined ? heading : `${heading}${GAP}${style.dim(word)}`;
}

const RELATIVE_DAYS = [
  [-1, "yesterday"],
  [0, "today"],
  [1, "tomorrow"],
] as const;

/** Widths of the parts that all lines share. */
interface LineColumns {
  readonly time: number;
  readonly hasDots: boolean;
  readonly calendar: number;
  /** Of calendar and id together, with the gap between them. */
  readonly meta: number;
  /** Of title and location; calendar and id follow on the line below where this is all there is. */
  readonly body: number;
  readonly metaBelow: boolean;
}

function columnsFor(lines: readonly EntryText[], { width, style }: EntryOptions): LineColumns {
  const widest = (textOf: (line: EntryText) => string) =>
    lines.reduce((width, line) => Math.max(width, textWidth(textOf(line))), 0);
  const time = widest((line) => line.time);
  const id = widest((line) => line.id);
  const bar = style.enabled ? 1 : 0;
  const name = Math.min(
    widest((line) => line.calendar),
    Math.max(width - INDENT - bar - GAP.length - id, MIN_CALENDAR_WIDTH),
  );
  // With the bar in its color.
  const calendar = name === 0 ? 0 : name + bar;
  const meta = calendar === 0 ? id : calendar + GAP.length + id;
  const hasDots = lines.some(({ dotColor }) => dotColor !== null);
  const left = INDENT + time + GAP.length + (hasDots ? 2 : 0);
  const body = Math.min(
    widest((line) => bodyOf(line)),
    width - left - GAP.length - meta,
  );
  const title = widest((line) => line.title);
  const metaBelow = body < Math.min(title, MIN_TITLE_WIDTH);
  return { time, hasDots, calendar, meta, metaBelow, body: metaBelow ? Math.max(width - left, 10) : body };
}

function bodyOf({ title, location }: EntryText): string {
  return location === "" ? title : `${title}${GAP}${location}`;
}

function drawLine(line: EntryText, columns: LineColumns, options: EntryOptions): string[] {
  const { style } = options;
  const { time, hasDots, body, metaBelow } = columns;
  const paint = line.state === "over" ? style.dim : (text: string) => text;
  const strong = line.state === "running" ? style.bold : paint;
  const dot = line.dotColor === null ? " " : style.hex(line.dotColor, line.dot);
  const [first = "", ...rest] = wrapText(line.title, { width: body, breakWords: true });
  const left = `${line.mark === " " ? " " : strong(line.mark)} ${strong(padText(line.time, time))}${GAP}${hasDots ? `${dot} ` : ""}`;
  const margin = " ".repeat(2 + time + GAP.length + (hasDots ? 2 : 0));
  const location = locationOf(line, {
    room: body - textWidth(first) - GAP.length,
    isWrapped: rest.length > 0,
  });
  const titleLine = (part: string): string => style.link(line.url, strong(part));
  const text = `${titleLine(first)}${location === "" ? "" : `${GAP}${style.dim(location)}`}`;
  const used = textWidth(first) + (location === "" ? 0 : GAP.length + textWidth(location));
  const meta = metaOf(line, columns, options);
  const others = rest.map((part) => `${margin}${titleLine(part)}`);
  if (metaBelow) {
    const room = options.width - columns.meta;
    return [`${left}${text}`, ...others, `${margin.slice(0, Math.max(INDENT, room))}${meta}`];
  }
  return [`${left}${text}${" ".repeat(Math.max(0, body - used))}${GAP}${meta}`, ...others];
}

function locationOf(
  { location }: EntryText,
  { room, isWrapped }: { room: number; isWrapped: boolean },
): string {
  if (location === "" || isWrapped || room < Math.min(textWidth(location), MIN_LOCATION_WIDTH)) return "";
  return truncateText(location, room);
}

function metaOf(line: EntryText, { calendar }: LineColumns, { style, unicode }: EntryOptions): string {
  if (calendar === 0) return style.dim(line.id);
  // The name itself has the color of all text: many colors cannot be read on a light terminal, or on a dark one.
  const bar = style.enabled ? style.hex(line.calendarColor ?? "", symbolsOf({ unicode }).bar) : "";
  const room = calendar - (style.enabled ? 1 : 0);
  const name = `${bar}${padText(truncateText(line.calendar, room), room)}`;
  return `${name}${GAP}${style.dim(line.id)}`;
}

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
