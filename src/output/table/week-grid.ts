import { type Day, lastsAllDay } from "../../calendar/day-list.js";
import type { LocalizedEvent } from "../../calendar/event-view.js";
import { type Interval, type Placed, placeInLanes } from "../../calendar/lanes.js";
import { formatLocal } from "../../calendar/zoned-time.js";
import type { Canvas } from "../view.js";
import { isEventOver, titleOf } from "./day-entry.js";
import { dayOf } from "./day-names.js";
import { inCharset, padText, textWidth, truncateText, wrapText } from "./text-width.js";

export interface WeekGridOptions extends Canvas {
  /** The days of the columns, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  /** Today in the chosen zone, as `YYYY-MM-DD`. */
  readonly today: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** The chosen zone. */
  readonly zone: string;
}

/** Columns of the times at the left. */
const AXIS_WIDTH = 6;
/** A day in fewer columns cannot be read. */
const MIN_DAY_WIDTH = 8;
/** The same for one of several events beside each other. */
const MIN_LANE_WIDTH = 4;
/** Where the terminal's width is not known. */
const DEFAULT_WIDTH = 120;

/** Minutes that one row may stand for: the first that needs no more rows than MAX_ROWS. */
const ROW_MINUTES = [30, 60] as const;
const MAX_ROWS = 32;
const HOUR = 60;
const DAY = 24 * HOUR;
/** The part of the day that is always shown (minutes). */
const SHOWN = { start: 9 * HOUR, end: 17 * HOUR };

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
  const timed = entries.map((day, index) =>
    day
      .filter((entry) => !lastsAllDay(entry))
      .map(({ event }) => ({ event, ...minutesOf(event, dates[index] ?? "") })),
  );
  const grid = { ...options, dayWidth, scale: chooseScale(timed.flat()) };
  const lines = [headerLine(grid), ...allDayLines(allDay, grid), ...timeLines(timed, grid)];
  return inCharset(lines.map((line) => `${line.trimEnd()}\n`).join(""), options);
}

/** An event on one day, in minutes since midnight. */
interface TimedEvent extends Interval {
  readonly event: LocalizedEvent;
}

function minutesOf({ start_local, end_local }: LocalizedEvent, date: string): Interval {
  const start = start_local?.startsWith(date) === true ? clockMinutes(start_local) : 0;
  const endsToday = end_local?.startsWith(date) === true;
  const end = endsToday ? clockMinutes(end_local) : end_local === null ? start : DAY;
  return { start, end: Math.max(start, end) };
}

function clockMinutes(local: string): number {
  return Number(local.slice(11, 13)) * HOUR + Number(local.slice(14, 16));
}

/** Which minutes the rows show. */
interface Scale extends Interval {
  readonly step: number;
}

function chooseScale(events: readonly Interval[]): Scale {
  const start = Math.min(SHOWN.start, ...events.map((event) => event.start));
  const end = Math.max(SHOWN.end, ...events.map((event) => event.end));
  const hours = { start: Math.floor(start / HOUR) * HOUR, end: Math.ceil(end / HOUR) * HOUR };
  const step = ROW_MINUTES.find((minutes) => (hours.end - hours.start) / minutes <= MAX_ROWS) ?? HOUR;
  return { ...hours, step };
}

interface Grid extends WeekGridOptions {
  /** Columns of a day, without the gap before it. */
  readonly dayWidth: number;
  readonly scale: Scale;
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
  for (const bar of placeInLanes(bars)) rows.set(bar.lane, [...(rows.get(bar.lane) ?? []), bar]);
  return [...rows.entries()].sort(([one], [other]) => one - other).map(([, row]) => barLine(row, grid));
}

function barLine(bars: readonly Placed<TimedEvent>[], { dayWidth, ...grid }: Grid): string {
  let line = " ".repeat(AXIS_WIDTH);
  let column = 0;
  for (const { item } of bars.toSorted((one, other) => one.item.start - other.item.start)) {
    line += " ".repeat((item.start - column) * (dayWidth + 1));
    const width = (item.end - item.start) * (dayWidth + 1) - 1;
    line += ` ${drawBlockLine(item.event, fillBar(titleOf(item.event), width - 1, grid), width, grid)}`;
    column = item.end;
  }
  return line;
}

/** The title, and a line to the end of the bar's last day. */
function fillBar(title: string, width: number, { unicode }: Pick<Grid, "unicode">): string {
  const room = width - textWidth(title) - 2;
  return room < 1 ? title : `${title} ${(unicode ? "─" : "-").repeat(room)}${unicode ? "╴" : "-"}`;
}

function timeLines(days: readonly (readonly TimedEvent[])[], grid: Grid): string[] {
  const { scale, dates, today } = grid;
  const blocks = days.map((day) => placeInLanes(day.map((event) => rowsOf(event, scale))));
  const nowRow = rowOfNow(grid);
  const isFree = (row: number) => row !== nowRow && blocks.flat().every(({ item }) => !covers(item, row));
  return shownRows(scale, isFree).map((row) => {
    if (row === null) return grid.style.dim(grid.unicode ? "  ⋮" : "  :");
    const cells = blocks.map((day, index) => {
      const isNow = row === nowRow && dates[index] === today;
      return ` ${dayCell(day, row, isNow, grid)}`;
    });
    return `${axisLabel(row, nowRow, grid)}${cells.join("")}`;
  });
}

function covers({ start, end }: Interval, row: number): boolean {
  return start <= row && row < end;
}

/** The rows that are drawn; null for hours of the morning or evening in which nothing takes place. */
function shownRows({ start, end, step }: Scale, isFree: (row: number) => boolean): (number | null)[] {
  const rows = Array.from({ length: (end - start) / step }, (_, row) => row);
  const isLeftOut = (row: number) => {
    const minutes = start + row * step;
    return (minutes < SHOWN.start || minutes >= SHOWN.end) && isFree(row);
  };
  return rows.flatMap((row) => {
    if (!isLeftOut(row)) return [row];
    return row === 0 || !isLeftOut(row - 1) ? [null] : [];
  });
}

/** The rows of an event: at least one. */
function rowsOf({ event, start, end }: TimedEvent, scale: Scale): TimedEvent {
  const first = Math.floor((start - scale.start) / scale.step);
  return { event, start: first, end: Math.max(first + 1, Math.ceil((end - scale.start) / scale.step)) };
}

/** -1 if the grid does not show it. */
function rowOfNow({ now, zone, today, dates, scale }: Grid): number {
  if (!dates.includes(today)) return -1;
  const minutes = clockMinutes(formatLocal(now, zone));
  if (minutes < scale.start || minutes >= scale.end) return -1;
  return Math.floor((minutes - scale.start) / scale.step);
}

function axisLabel(row: number, nowRow: number, { now, zone, scale, style }: Grid): string {
  if (row === nowRow) return style.bold(formatLocal(now, zone).slice(11, 16).padEnd(AXIS_WIDTH));
  const minutes = scale.start + row * scale.step;
  if (minutes % HOUR !== 0) return " ".repeat(AXIS_WIDTH);
  return style.dim(`${String(minutes / HOUR).padStart(2, "0")}:00`.padEnd(AXIS_WIDTH));
}

/** One row of one day: the events that overlap beside each other, as many as can be read. */
function dayCell(blocks: readonly Placed<TimedEvent>[], row: number, isNow: boolean, grid: Grid): string {
  const { dayWidth, style, unicode } = grid;
  const here = blocks.filter(({ item }) => covers(item, row));
  const [any] = here;
  if (any === undefined) {
    return isNow ? style.dim((unicode ? "─" : "-").repeat(dayWidth)) : " ".repeat(dayWidth);
  }
  const lanes = Math.min(any.lanes, Math.floor((dayWidth + 1) / (MIN_LANE_WIDTH + 1)));
  const hidden = here.filter(({ lane }) => lane >= lanes);
  const cells = Array.from({ length: lanes }, (_, lane) => {
    const width = laneWidth(lane, lanes, dayWidth);
    const block = here.find((each) => each.lane === lane);
    if (lane === lanes - 1 && hidden.length > 0)
      return padText(truncateText(`+${hidden.length + Number(block !== undefined)}`, width), width);
    return block === undefined ? " ".repeat(width) : blockCell(block.item, row, width, grid);
  });
  return cells.join(" ");
}

function laneWidth(lane: number, lanes: number, dayWidth: number): number {
  const room = dayWidth - (lanes - 1);
  return Math.floor(((lane + 1) * room) / lanes) - Math.floor((lane * room) / lanes);
}

function blockCell({ event, start, end }: TimedEvent, row: number, width: number, grid: Grid): string {
  const rows = end - start;
  const lines = wrapText(titleOf(event), { width: width - 1, breakWords: true });
  const index = row - start;
  const isCut = index === rows - 1 && lines.length > rows;
  const text = isCut ? lines.slice(index).join(" ") : (lines[index] ?? "");
  return drawBlockLine(event, text, width, grid);
}

/** One line of an event: a bar in the color of its label, and text. */
function drawBlockLine(
  event: LocalizedEvent,
  text: string,
  width: number,
  { style, unicode, now, today }: Pick<Grid, "style" | "unicode" | "now" | "today">,
): string {
  const bar = style.hex(event.label?.color ?? "", unicode ? "▌" : "|");
  const shown = padText(truncateText(text, width - 1), width - 1);
  return `${bar}${isEventOver(event, { now, today }) ? style.dim(shown) : shown}`;
}
