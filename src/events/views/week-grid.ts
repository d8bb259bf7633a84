import { inCharset } from "../../output/style.js";
import { padText, textWidth, truncateText, wrapText } from "../../output/table/text-width.js";
import { dayOf } from "../../time/day-names.js";
import { formatLocal } from "../../time/zoned-time.js";
import { type Day, type DayEntry, lastsAllDay } from "../day-list.js";
import type { LocalizedEvent } from "../localized-event.js";
import { clockOf, titleOf } from "./event-when.js";
import {
  type Bar,
  type BlockOptions,
  DEFAULT_WIDTH,
  drawBlockLine,
  fillBar,
  legendLines,
  MIN_CLOCK_WIDTH,
  MIN_DAY_WIDTH,
  placeBars,
} from "./grid-blocks.js";
import { type Block, clockMinutes, covers, divideIntoRows, type GridRows, type Placed } from "./grid-rows.js";

export interface WeekGridOptions extends BlockOptions {
  /** The days of the columns, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  /** The chosen zone. */
  readonly zone: string;
}

/** Columns of the times at the left. */
const AXIS_WIDTH = 6;
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
  const available = Number.isFinite(width) ? width : Math.max(DEFAULT_WIDTH, narrowestGrid(dates.length));
  const dayWidth = Math.floor((available - AXIS_WIDTH) / dates.length) - 1;
  if (dayWidth < MIN_DAY_WIDTH) return null;
  const entries = dates.map((date) => days.find((day) => day.date === date)?.entries ?? []);
  const allDay = entries.map((day) => day.filter(lastsAllDay));
  const timed = entries.map((day) => day.filter((entry) => !lastsAllDay(entry)).map(({ event }) => event));
  const now = minutesOfNow(options);
  const base = { ...options, dayWidth, minutesOfNow: now, ...divideIntoRows(timed, { dates, now }) };
  const stacked = new Set(base.blocks.flatMap((day) => stackedBlocks(day, base)));
  const grid: Grid = { ...base, stacked, heights: rowHeights({ ...base, stacked }) };
  const shown = new Set(entries.flatMap((day) => day.map(({ event }) => event.calendar_id)));
  const lines = [
    headerLine(grid),
    ...allDayLines(allDay, grid),
    ...timeLines(grid),
    ...legendLines(shown, { ...grid, width: available, margin: AXIS_WIDTH }),
  ];
  return inCharset(lines.map((line) => `${line.trimEnd()}\n`).join(""), options);
}

interface BaseGrid extends WeekGridOptions, GridRows {
  /** Columns of a day, without the gap before it. */
  readonly dayWidth: number;
  /** Since midnight; null if today is not shown. */
  readonly minutesOfNow: number | null;
}

interface Grid extends BaseGrid {
  /** Overlapping events that begin one below the other. */
  readonly stacked: ReadonlySet<Block>;
  /** Lines of each row. */
  readonly heights: ReadonlyMap<number, number>;
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
  const year = dates[0]?.slice(0, 4) ?? "";
  const shown = year === today.slice(0, 4) ? "" : year;
  return `${style.dim(shown)}${" ".repeat(AXIS_WIDTH - shown.length)}${cells.map((cell) => ` ${cell}`).join("")}`;
}

/** Events that last all day, each as one bar over its days. */
function allDayLines(days: readonly (readonly DayEntry<LocalizedEvent>[])[], grid: Grid): string[] {
  const placed = placeBars(days);
  const lanes = Math.max(0, ...placed.map(({ lane }) => lane + 1));
  return Array.from({ length: lanes }, (_, row) => {
    const inRow = placed.filter(({ lane }) => lane === row);
    return barLine(
      inRow.map(({ item }) => item),
      grid,
    );
  });
}

/** @param bars by their start, in columns */
function barLine(bars: readonly Bar[], { dayWidth, ...grid }: Grid): string {
  let line = " ".repeat(AXIS_WIDTH);
  let column = 0;
  for (const {
    entry: { event },
    start,
    end,
  } of bars) {
    line += " ".repeat((start - column) * (dayWidth + 1));
    const width = (end - start) * (dayWidth + 1) - 1;
    line += ` ${drawBlockLine(event, { text: fillBar(titleOf(event), width - 1, grid), width }, grid)}`;
    column = end;
  }
  return line;
}

function timeLines(grid: Grid): string[] {
  const { shown, style, unicode } = grid;
  return shown.flatMap((row) => (row === null ? [style.dim(unicode ? "  ⋮" : "  :")] : rowLines(row, grid)));
}

/** The lines of a row. */
function rowLines(row: number, grid: Grid): readonly string[] {
  const { blocks, dates, today, start, step, minutesOfNow: now, dayWidth, style, unicode } = grid;
  const isNow = now !== null && row === Math.floor((now - start) / step);
  const blank = " ".repeat(dayWidth);
  const cells = blocks.map((day, index): readonly string[] => {
    const here = day.filter(({ item }) => covers(item, row));
    if (here.length > 0) return eventsCell(here, row, grid);
    const rule = style.dim((unicode ? "─" : "-").repeat(dayWidth));
    return [isNow && dates[index] === today ? rule : blank];
  });
  return Array.from({ length: heightOf(row, grid) }, (_, line) => {
    const axis = line === 0 ? axisLabel(row, isNow, grid) : " ".repeat(AXIS_WIDTH);
    return `${axis}${cells.map((lines) => ` ${lines[line] ?? blank}`).join("")}`;
  });
}

/** The hour; in the row of now its time, marked. */
function axisLabel(
  row: number,
  isNow: boolean,
  { now, zone, hours, dates, start, step, style, unicode }: Grid,
): string {
  if (isNow)
    return style.bold(`${clockOf(formatLocal(now, zone), hours)}${unicode ? "▸" : ">"}`.slice(0, AXIS_WIDTH));
  const minutes = start + row * step;
  if (minutes % 60 !== 0) return " ".repeat(AXIS_WIDTH);
  const hour = String(minutes / 60).padStart(2, "0");
  const clock = hours === 12 ? clockOf(`${dates[0]}T${hour}:00`, hours).replace(":00", "") : `${hour}:00`;
  return style.dim(clock.padEnd(AXIS_WIDTH));
}

/** The lines of one row of one day. */
function eventsCell(here: readonly Placed<Block>[], row: number, grid: Grid): readonly string[] {
  if (here.some(({ item }) => grid.stacked.has(item))) return stackedCell(here, row, grid);
  const lanes = Math.max(...here.map((block) => block.lanes));
  const cells = Array.from({ length: lanes }, (_, lane) => {
    const width = laneWidth(lane, lanes, grid.dayWidth);
    const block = here.find((each) => each.lane === lane)?.item;
    return { width, lines: block === undefined ? [] : blockLines(block, { row, width }, grid) };
  });
  return Array.from({ length: heightOf(row, grid) }, (_, line) =>
    cells.map(({ width, lines }) => lines[line] ?? " ".repeat(width)).join(" "),
  );
}

/** The overlapping events of a day whose names cannot be read side by side: they begin one below the other. */
function stackedBlocks(day: readonly Placed<Block>[], grid: BaseGrid): readonly Block[] {
  const isCut = ({ item, lane, lanes }: Placed<Block>) => {
    const width = laneWidth(lane, lanes, grid.dayWidth);
    const lines = titleLines(item, width, grid);
    const isTooWide = lines.some((line) => textWidth(line) > width - 1);
    return lanes > 1 && (width < MIN_DAY_WIDTH || isTooWide || lines.length > item.end - item.start);
  };
  return groupsOf(day).flatMap((group) => (group.some(isCut) ? group.map(({ item }) => item) : []));
}

/** Events that overlap, directly or through others. @param day by start */
function groupsOf(day: readonly Placed<Block>[]): readonly (readonly Placed<Block>[])[] {
  const groups: Placed<Block>[][] = [];
  let end = 0;
  for (const placed of day) {
    if (groups.length === 0 || placed.item.start >= end) groups.push([]);
    groups.at(-1)?.push(placed);
    end = Math.max(end, placed.item.end);
  }
  return groups;
}

/** How many lines each row has: as many as the names need that begin in it one below the other, at least one. */
function rowHeights(grid: Omit<Grid, "heights">): ReadonlyMap<number, number> {
  const heightOfDay = (day: readonly Placed<Block>[], row: number) => {
    const names = stackedNames(
      day.filter(({ item }) => grid.stacked.has(item) && item.start === row),
      grid,
    );
    return names.reduce((sum, { lines }) => sum + lines.length, 0);
  };
  return new Map(
    grid.shown.flatMap((row) =>
      row === null ? [] : [[row, Math.max(1, ...grid.blocks.map((day) => heightOfDay(day, row)))]],
    ),
  );
}

function heightOf(row: number, { heights }: Pick<Grid, "heights">): number {
  return heights.get(row) ?? 1;
}

/** Columns of a name next to the bars of other events. */
const MIN_NAME_WIDTH = 5;
/** Lines of a name among others, unless more tell it from the name of another. */
const MAX_NAME_LINES = 2;

interface StackedName {
  readonly placed: Placed<Block>;
  /** Columns of the bars before it. */
  readonly before: number;
  readonly lines: readonly string[];
}

/** The names of events that begin one below the other. */
function stackedNames(begins: readonly Placed<Block>[], grid: BaseGrid): readonly StackedName[] {
  const names = begins
    .toSorted((one, other) => one.lane - other.lane)
    .map((placed) => {
      const before = Math.min(placed.lane, grid.dayWidth - MIN_NAME_WIDTH);
      const width = grid.dayWidth - before;
      const all = titleLines(placed.item, width, grid);
      const cut = cutLines(all, MAX_NAME_LINES).map((line) => truncateText(line, width - 1));
      return { placed, before, all, cut };
    });
  return names.map(({ placed, before, all, cut }) => {
    const isUnique = names.every((other) => other.placed === placed || !areAlike(cut, other.cut));
    return { placed, before, lines: isUnique ? cut : all };
  });
}

/** Whether names look the same where they are cut. */
function areAlike(one: readonly string[], other: readonly string[]): boolean {
  return one.every((line, index) => {
    const [text, another] = [line, other[index] ?? ""].map((each) => each.replace("…", ""));
    return text?.startsWith(another ?? "") === true || another?.startsWith(text ?? "") === true;
  });
}

/** Names for the events that begin, after the bars of the events that continue. */
function stackedCell(here: readonly Placed<Block>[], row: number, grid: Grid): readonly string[] {
  const { dayWidth } = grid;
  const barsOf = (events: readonly Placed<Block>[], width: number) =>
    Array.from({ length: width }, (_, lane) => {
      const event = events.find((each) => each.lane === lane)?.item.event;
      return event === undefined ? " " : drawBlockLine(event, { text: "", width: 1 }, grid);
    }).join("");
  const names = stackedNames(
    here.filter(({ item }) => item.start === row),
    grid,
  );
  const lines = names.flatMap(({ placed, before, lines: name }, index) => {
    const above = names.slice(0, index).map((each) => each.placed);
    const bars = barsOf([...here.filter(({ item }) => item.start < row), ...above], before);
    const width = dayWidth - before;
    return name.map((text) => `${bars}${drawBlockLine(placed.item.event, { text, width }, grid)}`);
  });
  const goingOn = (events: readonly Placed<Block>[]) => {
    const width = Math.min(Math.max(...here.map((block) => block.lanes)), dayWidth - MIN_NAME_WIDTH);
    return `${barsOf(events, width)}${" ".repeat(dayWidth - width)}`;
  };
  const below = goingOn(here.filter(({ item }) => item.end > row + 1));
  const first = lines.length > 0 ? lines : [goingOn(here)];
  return [...first, ...Array.from({ length: heightOf(row, grid) - first.length }, () => below)];
}

function laneWidth(lane: number, lanes: number, dayWidth: number): number {
  const room = dayWidth - (lanes - 1);
  return Math.floor(((lane + 1) * room) / lanes) - Math.floor((lane * room) / lanes);
}

/** The lines of an event in one of its rows. Its last row has no more than its name needs. */
function blockLines(
  block: Block,
  { row, width }: { readonly row: number; readonly width: number },
  grid: Grid,
): readonly string[] {
  const { event, start, end } = block;
  const heightBetween = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => heightOf(from + index, grid)).reduce(
      (sum, each) => sum + each,
      0,
    );
  const lines = cutLines(titleLines(block, width, grid), heightBetween(start, end));
  const first = heightBetween(start, row);
  const needed = row === end - 1 ? Math.max(1, lines.length - first) : heightOf(row, grid);
  return Array.from({ length: Math.min(needed, heightOf(row, grid)) }, (_, line) =>
    drawBlockLine(event, { text: lines[first + line] ?? "", width }, grid),
  );
}

function titleLines(block: Block, width: number, grid: BaseGrid): readonly string[] {
  return wrapText(textOf(block, width, grid), { width: width - 1, breakWords: false });
}

/** At most `count` lines; the last one has the rest, to be cut. */
function cutLines(lines: readonly string[], count: number): readonly string[] {
  return lines.length <= count ? lines : [...lines.slice(0, count - 1), lines.slice(count - 1).join(" ")];
}

/** The title, with the time of day before it if no row shows it and there is room. */
function textOf({ event, startClock }: Block, width: number, { hours }: Pick<Grid, "hours">): string {
  const title = titleOf(event);
  const hasClock = startClock !== null && width >= MIN_CLOCK_WIDTH;
  return hasClock ? `${clockOf(event.start_local ?? "", hours)} ${title}` : title;
}
