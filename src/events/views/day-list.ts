import { inCharset, symbolsOf } from "../../output/style.js";
import { padText, textWidth, truncateText, wrapText } from "../../output/table/text-width.js";
import { addDays } from "../../time/zoned-time.js";
import type { Day } from "../day-list.js";
import type { LocalizedEvent } from "../localized-event.js";
import { describeEntry, type EntryOptions, type EntryText, headingOf } from "./day-entry.js";

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
