import { type Day, type DayEntry, lastsAllDay } from "../../calendar/day-list.js";
import type { LocalizedEvent } from "../../calendar/event-view.js";
import { addDays, formatLocal, readWallClock } from "../../calendar/zoned-time.js";
import { isTimeZone, parseWireDateTime } from "../../contract/date-time.js";
import { HEX_COLOR } from "../../contract/limits.js";
import { sanitizeLine } from "../sanitize.js";
import type { Style } from "../style.js";
import type { Canvas } from "../view.js";
import { dayOf, describeDay } from "./day-names.js";
import { textWidth, truncateText, wrapText } from "./text-width.js";

export interface DayListOptions extends Canvas {
  /** Today in the chosen zone, as `YYYY-MM-DD`; null for text that is read later, in which nothing is relative. */
  readonly today: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** The chosen zone. */
  readonly zone: string;
  /** Whether each line names the calendar. */
  readonly showCalendar: boolean;
  /** Colors of the calendars by id. */
  readonly calendarColors: ReadonlyMap<string, string | null>;
  /** The id as it is shown. */
  readonly idOf: (event: LocalizedEvent) => string;
}

/** Columns between the parts of a line. */
const GAP = "  ";
/** A title is wrapped into no fewer columns than this; calendar and id then have a line of their own. */
const MIN_TITLE_WIDTH = 24;
/** Columns of a calendar's name. */
const MAX_CALENDAR_WIDTH = 20;
/** A location is cut to no fewer columns than this. */
const MIN_LOCATION_WIDTH = 8;

/** Draws days as headings with their events below, for terminals from 40 columns. */
export function drawDayList(days: readonly Day<LocalizedEvent>[], options: DayListOptions): string {
  const drawn = days.map(({ date, entries }) => ({
    heading: drawHeading(date, options),
    lines: entries.map((entry) => describeEntry(entry, date, options)),
  }));
  const all = drawn.flatMap(({ lines }) => lines);
  const columns = columnsFor(all, options.width);
  const text = drawn
    .map(({ heading, lines }) => [heading, ...drawLines(lines, columns, options)])
    .map((block) => block.map((line) => `${line.trimEnd()}\n`).join(""))
    .join("\n");
  return inCharset(text, options);
}

/** Without the ellipsis where only ASCII is shown. */
export function inCharset(text: string, { unicode }: Pick<Canvas, "unicode">): string {
  return unicode ? text : text.replaceAll("…", "~");
}

function drawLines(lines: readonly Line[], columns: LineColumns, options: DayListOptions): string[] {
  if (lines.length === 0) return [options.style.dim("  no events")];
  return lines.flatMap((line) => drawLine(line, columns, options));
}

function drawHeading(date: string | null, { style, today }: DayListOptions): string {
  const heading = style.bold(headingOf(date, { today }));
  if (today === null) return heading;
  const word = RELATIVE_DAYS.find(([days]) => addDays(today, days) === date)?.[1];
  return word === undefined ? heading : `${heading}${GAP}${style.dim(word)}`;
}

/** The name of a day, with its year unless that is this year. */
export function headingOf(date: string | null, { today }: Pick<DayListOptions, "today">): string {
  if (date === null) return "No date";
  return describeDay(dayOf(date), { year: date.slice(0, 4) !== today?.slice(0, 4) });
}

const RELATIVE_DAYS = [
  [-1, "yesterday"],
  [0, "today"],
  [1, "tomorrow"],
] as const;

interface Symbols {
  readonly dot: string;
  readonly running: string;
  readonly arrow: string;
  readonly dash: string;
}

const UNICODE: Symbols = { dot: "●", running: "▸", arrow: "→", dash: "–" };
const ASCII: Symbols = { dot: "*", running: ">", arrow: "->", dash: "-" };

/** One event of one day, before it is laid out. All text is sanitized. */
export interface Line {
  readonly state: "over" | "running" | "ahead";
  readonly mark: string;
  readonly time: string;
  readonly dot: string;
  readonly dotColor: string | null;
  readonly title: string;
  readonly location: string;
  /** Calendar and id, at the right. */
  readonly calendar: string;
  readonly calendarColor: string | null;
  readonly id: string;
}

interface LineOptions extends DayListOptions {
  readonly symbols: Symbols;
}

/** The parts of one line. @param date the day it is listed under; null without one */
export function describeEntry(
  entry: DayEntry<LocalizedEvent>,
  date: string | null,
  canvas: DayListOptions,
): Line {
  const { event } = entry;
  const { showCalendar, calendarColors, idOf } = canvas;
  const symbols = canvas.unicode ? UNICODE : ASCII;
  const options = { ...canvas, symbols };
  const state = date === null ? "ahead" : stateOf(event, options);
  const notes = [spanNote(entry), labelNote(event, options), zoneNote(entry, options.zone)];
  const title = [sanitizeLine(event.title ?? "").trim() || "(no title)", ...notes].filter(
    (part) => part !== "",
  );
  return {
    state,
    mark: state === "running" && event.all_day !== true ? symbols.running : " ",
    time: date === null ? "" : timeText(entry, options),
    dot: symbols.dot,
    dotColor: dotColorOf(event, options),
    title: title.join(" "),
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
function dotColorOf({ label }: LocalizedEvent, { style }: LineOptions): string | null {
  const color = label?.color ?? null;
  return style.enabled && HEX_COLOR.test(color ?? "") ? color : null;
}

function stateOf(event: LocalizedEvent, { today, now }: LineOptions): Line["state"] {
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
function timeText({ event, part }: DayEntry<LocalizedEvent>, { zone, symbols }: LineOptions): string {
  const { arrow, dash } = symbols;
  const start = clockText(event.start_local, zone);
  const end = clockText(event.end_local, zone);
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
function clockText(local: string | null, zone: string): string {
  if (local === null) return "";
  const clock = local.slice(11, 16);
  const wallClock = Date.parse(`${local.slice(0, 19)}.000Z`);
  return readWallClock(wallClock, zone).kind === "twice" ? `${clock}${local.slice(19)}` : clock;
}

/** What an event on several days does on the others: `(day 2 of 3)`, `(until Sun 02:00)`. */
function spanNote({ event, part, day, days }: DayEntry<LocalizedEvent>): string {
  if (part === "whole") return "";
  if (event.all_day === true) return `(day ${day} of ${days})`;
  const [word, local] = part === "last" ? ["since", event.start_local] : ["until", event.end_local];
  if (local === null) return "";
  const { weekday, date, month } = dayOf(local.slice(0, 10));
  const name = days > 7 ? `${weekday} ${date} ${month}` : weekday;
  return `(${word} ${name} ${local.slice(11, 16)})`;
}

/** The name of a label that no color shows. The default label needs none. */
function labelNote({ label }: LocalizedEvent, { style }: LineOptions): string {
  if (style.enabled || label === null || label.number === 1) return "";
  const name = sanitizeLine(label.name ?? "").trim();
  return name === "" ? "" : `[${name}]`;
}

/**
 * By another clock, when an event starts or ends that has two zones: `(ends 14:05 Europe/Paris)`. It is the end unless
 * that is in the chosen zone.
 */
function zoneNote({ event, part }: DayEntry<LocalizedEvent>, zone: string): string {
  const { all_day, start_timezone, end_timezone } = event;
  if (all_day === true || start_timezone === null || end_timezone === null) return "";
  if (part === "middle" || part === "last") return "";
  if (start_timezone === end_timezone) return "";
  return end_timezone === zone
    ? clockNote("starts", start_timezone, { at: event.start_at, local: event.start_local })
    : clockNote("ends", end_timezone, { at: event.end_at, local: event.end_local });
}

function clockNote(
  word: string,
  zone: string,
  { at, local }: { readonly at: string | null; readonly local: string | null },
): string {
  const time = parseWireDateTime(at ?? "");
  if (time === null || !isTimeZone(zone)) return "";
  const there = formatLocal(time.instant, zone);
  const isOtherDay = there.slice(0, 10) !== local?.slice(0, 10);
  const day = isOtherDay ? `${dayOf(there.slice(0, 10)).weekday} ` : "";
  return `(${word} ${day}${there.slice(11, 16)} ${zone})`;
}

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

function columnsFor(lines: readonly Line[], width: number): LineColumns {
  const widest = (textOf: (line: Line) => string) =>
    Math.max(0, ...lines.map((line) => textWidth(textOf(line))));
  const time = widest((line) => line.time);
  const calendar = widest((line) => line.calendar);
  const id = widest((line) => line.id);
  const meta = calendar === 0 ? id : calendar + GAP.length + id;
  const hasDots = lines.some(({ dotColor }) => dotColor !== null);
  const left = 2 + time + GAP.length + (hasDots ? 2 : 0);
  const body = Math.min(
    widest((line) => bodyOf(line)),
    width - left - GAP.length - meta,
  );
  const title = widest((line) => line.title);
  const metaBelow = body < Math.min(title, MIN_TITLE_WIDTH);
  return { time, hasDots, calendar, meta, metaBelow, body: metaBelow ? Math.max(width - left, 10) : body };
}

function bodyOf({ title, location }: Line): string {
  return location === "" ? title : `${title}${GAP}${location}`;
}

function drawLine(line: Line, columns: LineColumns, { style }: DayListOptions): string[] {
  const { time, hasDots, body, metaBelow } = columns;
  const paint = line.state === "over" ? style.dim : (text: string) => text;
  const strong = line.state === "running" ? style.bold : paint;
  const dot = line.dotColor === null ? " " : style.hex(line.dotColor, line.dot);
  const [first = "", ...rest] = wrapText(line.title, { width: body, breakWords: true });
  const left = `${line.mark === " " ? " " : strong(line.mark)} ${strong(line.time)}${pad(line.time, time)}${GAP}${hasDots ? `${dot} ` : ""}`;
  const margin = " ".repeat(2 + time + GAP.length + (hasDots ? 2 : 0));
  const location = locationOf(line, {
    room: body - textWidth(first) - GAP.length,
    isWrapped: rest.length > 0,
  });
  const text = `${strong(first)}${location === "" ? "" : `${GAP}${style.dim(location)}`}`;
  const used = textWidth(first) + (location === "" ? 0 : GAP.length + textWidth(location));
  const meta = metaOf(line, columns, style);
  const others = rest.map((part) => `${margin}${strong(part)}`);
  if (metaBelow) return [`${left}${text}`, ...others, `${margin}${meta}`];
  return [`${left}${text}${" ".repeat(Math.max(0, body - used))}${GAP}${meta}`, ...others];
}

function locationOf({ location }: Line, { room, isWrapped }: { room: number; isWrapped: boolean }): string {
  if (location === "" || isWrapped || room < Math.min(textWidth(location), MIN_LOCATION_WIDTH)) return "";
  return truncateText(location, room);
}

function metaOf(line: Line, { calendar }: LineColumns, style: Style): string {
  if (calendar === 0) return style.dim(line.id);
  const name = `${style.hex(line.calendarColor ?? "", line.calendar)}${pad(line.calendar, calendar)}`;
  return `${name}${GAP}${style.dim(line.id)}`;
}

function pad(text: string, width: number): string {
  return " ".repeat(width - textWidth(text));
}
