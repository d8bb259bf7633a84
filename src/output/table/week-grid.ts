import { type Day, lastsAllDay } from "../../calendar/day-list.js";
import type { LocalizedEvent } from "../../calendar/event-view.js";
import { type Interval, type Placed, placeInLanes } from "../../calendar/lanes.js";
import { formatLocal } from "../../calendar/zoned-time.js";
import { sanitizeLine } from "../sanitize.js";
import { symbolsOf } from "../symbols.js";
import type { DrawOptions } from "../view.js";
import { isEventOver, titleOf } from "./day-entry.js";
import { dayOf } from "./day-names.js";
import { type Block, clockMinutes, covers, divideIntoRows, type GridRows } from "./grid-rows.js";
import { inCharset, padText, textWidth, truncateText, wrapText } from "./text-width.js";

export interface WeekGridOptions extends DrawOptions {
  /** The days of the columns, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  /** Today in the chosen zone, as `YYYY-MM-DD`. */
  readonly today: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** The chosen zone. */
  readonly zone: string;
  /** Those that were asked. */
  readonly calendars: readonly GridCalendar[];
}

/** A calendar as the grid names it. Null or absent: it has no name or color, or none is known. */
export interface GridCalendar {
  readonly id: string;
  readonly name?: string | null;
  readonly color?: string | null;
}

/** Columns of the times at the left. */
const AXIS_WIDTH = 6;
/** A day in fewer columns cannot be read. */
const MIN_DAY_WIDTH = 8;
/** The same for one of several events beside each other. */
const MIN_LANE_WIDTH = 4;
/** Where the terminal's width is not known. */
const DEFAULT_WIDTH = 120;

/** Narrower blocks have no room for their start. */
const MIN_CLOCK_WIDTH = 14;

/** Bars of calendars where colors do not tell them apart. */
const BARS = { unicode: ["▌", "┃", "│", "┆", "║", "▒"], ascii: ["|", "!", ":", "#", "=", "%"] };
/** Columns of a calendar's name. */
const MAX_NAME_WIDTH = 20;

/** How many columns a grid needs at least. */
export function narrowestGrid(days: number): number {
  return AXIS_WIDTH + days * (MIN_DAY_WIDTH + 1);
}

/**
 * Draws days side by side, time from top to bottom, what lasts all day above. Null if the terminal is too narrow.
 * @param days events by day
 */
export function drawWeekGrid(days: readonly Day<LocalizedEvent>[], options: WeekGridOptions): string | null {
  const { dates, width } = options;
  const available = Number.isFinite(width) ? width : DEFAULT_WIDTH;
  const dayWidth = Math.floor((available - AXIS_WIDTH) / dates.length) - 1;
  if (dayWidth < MIN_DAY_WIDTH) return null;
  const entries = dates.map((date) => days.find((day) => day.date === date)?.entries ?? []);
  const allDay = entries.map((day) => day.filter(lastsAllDay).map(({ event }) => event));
  const timed = entries.map((day) => day.filter((entry) => !lastsAllDay(entry)).map(({ event }) => event));
  const now = minutesOfNow(options);
  const grid = { ...options, dayWidth, minutesOfNow: now, ...divideIntoRows(timed, { dates, now }) };
  const shown = new Set(entries.flatMap((day) => day.map(({ event }) => event.calendar_id)));
  const lines = [
    headerLine(grid),
    ...allDayLines(allDay, grid),
    ...timeLines(grid),
    ...legendLines(shown, { ...grid, width: available }),
  ];
  return inCharset(lines.map((line) => `${line.trimEnd()}\n`).join(""), options);
}

interface Grid extends WeekGridOptions, GridRows {
  /** Columns of a day, without the gap before it. */
  readonly dayWidth: number;
  /** Since midnight; null if today is not shown. */
  readonly minutesOfNow: number | null;
}

function minutesOfNow({ now, zone, today, dates }: WeekGridOptions): number | null {
  return dates.includes(today) ? clockMinutes(formatLocal(now, zone)) : null;
}

function headerLine({ dates, today, dayWidth, style }: Grid): string {
  const cells = dates.map((date) => {
    const { weekday, date: day, month } = dayOf(date);
    const name = dayWidth >= 10 ? `${weekday} ${day} ${month}` : `${weekday} ${day}`;
    const text = padText(truncateText(name, dayWidth), dayWidth);
    return date === today ? style.bold(text) : style.dim(text);
  });
  const year = yearOf(dates, today);
  return `${year === "" ? "" : style.dim(year)}${" ".repeat(AXIS_WIDTH - year.length)}${cells.map((cell) => ` ${cell}`).join("")}`;
}

/** The year, unless it is this one. */
function yearOf([first = ""]: readonly string[], today: string): string {
  const year = first.slice(0, 4);
  return year === today.slice(0, 4) ? "" : year;
}

/** Events that last all day, each as one bar over its days. */
function allDayLines(days: readonly (readonly LocalizedEvent[])[], grid: Grid): string[] {
  const bars = [...new Set(days.flat())].map((event) => {
    const indexes = days.flatMap((events, index) => (events.includes(event) ? [index] : []));
    return { event, start: indexes[0] ?? 0, end: (indexes.at(-1) ?? 0) + 1 };
  });
  const rows = new Map<number, Placed<(typeof bars)[number]>[]>();
  const longestFirst = bars.toSorted((one, other) => other.end - one.end);
  for (const bar of placeInLanes(longestFirst)) rows.set(bar.lane, [...(rows.get(bar.lane) ?? []), bar]);
  return [...rows.entries()].sort(([one], [other]) => one - other).map(([, row]) => barLine(row, grid));
}

/** Events that last all day, in columns. */
interface Bar extends Interval {
  readonly event: LocalizedEvent;
}

function barLine(bars: readonly Placed<Bar>[], { dayWidth, ...grid }: Grid): string {
  let line = " ".repeat(AXIS_WIDTH);
  let column = 0;
  for (const { item } of bars.toSorted((one, other) => one.item.start - other.item.start)) {
    line += " ".repeat((item.start - column) * (dayWidth + 1));
    const width = (item.end - item.start) * (dayWidth + 1) - 1;
    const text = fillBar(titleOf(item.event), width - 1, grid);
    line += ` ${drawBlockLine(item.event, { text, width }, grid)}`;
    column = item.end;
  }
  return line;
}

/** The title, and a line to the end of the bar's last day. */
function fillBar(title: string, width: number, { unicode }: Pick<Grid, "unicode">): string {
  const room = width - textWidth(title) - 2;
  return room < 1 ? title : `${title} ${(unicode ? "─" : "-").repeat(room)}${unicode ? "╴" : "-"}`;
}

function timeLines(grid: Grid): string[] {
  const { blocks, shown, dates, today, style, unicode } = grid;
  return shown.map((row) => {
    if (row === null) return style.dim(unicode ? "  ⋮" : "  :");
    const isNow = isRowOfNow(row, grid);
    const cells = blocks.map((day, index) => {
      const here = day.filter(({ item }) => covers(item, row));
      if (here.length > 0) return ` ${eventsCell(here, { ...grid, row })}`;
      return ` ${freeCell({ ...grid, isNow: isNow && dates[index] === today })}`;
    });
    return `${axisLabel({ ...grid, row, isNow })}${cells.join("")}`;
  });
}

function isRowOfNow(row: number, { start, step, minutesOfNow }: Grid): boolean {
  return minutesOfNow !== null && Math.floor((minutesOfNow - start) / step) === row;
}

/** The hour; in the row of now its time, marked. */
function axisLabel({
  row,
  isNow,
  ...grid
}: Grid & { readonly row: number; readonly isNow: boolean }): string {
  const { now, zone, start, step, style, unicode } = grid;
  if (isNow) return style.bold(`${formatLocal(now, zone).slice(11, 16)}${unicode ? "▸" : ">"}`);
  const minutes = start + row * step;
  if (minutes % 60 !== 0) return " ".repeat(AXIS_WIDTH);
  return style.dim(`${String(minutes / 60).padStart(2, "0")}:00`.padEnd(AXIS_WIDTH));
}

function freeCell({ dayWidth, style, unicode, isNow }: Grid & { readonly isNow: boolean }): string {
  return isNow ? style.dim((unicode ? "─" : "-").repeat(dayWidth)) : " ".repeat(dayWidth);
}

interface GridRow extends Grid {
  readonly row: number;
}

/** One row of one day: the events that overlap beside each other, as many as can be read. */
function eventsCell(here: readonly Placed<Block>[], grid: GridRow): string {
  const { dayWidth } = grid;
  const needed = Math.max(...here.map((block) => block.lanes));
  const lanes = Math.min(needed, Math.floor((dayWidth + 1) / (MIN_LANE_WIDTH + 1)));
  const hidden = here.filter(({ lane }) => lane >= lanes);
  const cells = Array.from({ length: lanes }, (_, lane) => {
    const width = laneWidth(lane, lanes, dayWidth);
    const block = here.find((each) => each.lane === lane);
    if (lane === lanes - 1 && hidden.length > 0)
      return padText(truncateText(`+${hidden.length + Number(block !== undefined)}`, width), width);
    return block === undefined ? " ".repeat(width) : blockCell(block.item, width, grid);
  });
  return cells.join(" ");
}

function laneWidth(lane: number, lanes: number, dayWidth: number): number {
  const room = dayWidth - (lanes - 1);
  return Math.floor(((lane + 1) * room) / lanes) - Math.floor((lane * room) / lanes);
}

function blockCell({ event, startClock, start, end }: Block, width: number, grid: GridRow): string {
  const rows = end - start;
  const hasClock = startClock !== null && width >= MIN_CLOCK_WIDTH;
  const title = hasClock ? `${startClock} ${titleOf(event)}` : titleOf(event);
  const lines = wrapText(title, { width: width - 1, breakWords: true });
  const index = grid.row - start;
  const isCut = index === rows - 1 && lines.length > rows;
  const text = isCut ? lines.slice(index).join(" ") : (lines[index] ?? "");
  return drawBlockLine(event, { text, width }, grid);
}

/** One line of an event: a bar and text. */
function drawBlockLine(
  event: LocalizedEvent,
  { text, width }: { readonly text: string; readonly width: number },
  grid: Pick<Grid, "style" | "unicode" | "now" | "today" | "calendars">,
): string {
  const shown = padText(truncateText(text, width - 1), width - 1);
  return `${barOf(event, grid)}${isEventOver(event, grid) ? grid.style.dim(shown) : shown}`;
}

type BarOptions = Pick<Grid, "style" | "unicode" | "calendars">;

/** In the color of the calendar where there are several, otherwise in that of the label. */
function barOf(event: LocalizedEvent, options: BarOptions): string {
  const { style, unicode, calendars } = options;
  if (calendars.length < 2) return style.hex(event.label?.color ?? "", symbolsOf({ unicode }).bar);
  return calendarBar(
    calendars.findIndex(({ id }) => id === event.calendar_id),
    options,
  );
}

function calendarBar(index: number, { style, unicode, calendars }: BarOptions): string {
  if (style.enabled) return style.hex(calendars[index]?.color ?? "", symbolsOf({ unicode }).bar);
  const bars = unicode ? BARS.unicode : BARS.ascii;
  return bars[index % bars.length] ?? "";
}

/** Which bar is whose, for the calendars that have events here. */
function legendLines(shown: ReadonlySet<string>, grid: BarOptions & Pick<Grid, "width">): readonly string[] {
  const { calendars, width } = grid;
  if (calendars.length < 2 || shown.size === 0) return [];
  const lines: string[] = [];
  let used = width;
  for (const [index, { id, name }] of calendars.entries()) {
    if (!shown.has(id)) continue;
    const text = truncateText(sanitizeLine(name || id).trim(), MAX_NAME_WIDTH);
    const added = 1 + textWidth(text) + LEGEND_GAP.length;
    const isNew = used + added > width;
    if (isNew) lines.push(" ".repeat(AXIS_WIDTH + 1));
    used = isNew ? AXIS_WIDTH + 1 + added : used + added;
    lines.push(`${lines.pop() ?? ""}${calendarBar(index, grid)}${text}${LEGEND_GAP}`);
  }
  return ["", ...lines];
}

const LEGEND_GAP = "  ";
