import { type Day, type DayEntry, lastsAllDay } from "../../calendar/day-list.js";
import type { LocalizedEvent } from "../../calendar/event-view.js";
import {
  type Block,
  clockMinutes,
  covers,
  divideIntoRows,
  type GridRows,
  type Placed,
} from "../../calendar/grid-rows.js";
import { formatLocal } from "../../calendar/zoned-time.js";
import { clockOf } from "../event-when.js";
import { inCharset } from "../style.js";
import { titleOf } from "./day-entry.js";
import { dayOf } from "./day-names.js";
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
import { padText, truncateText, wrapText } from "./text-width.js";

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
  const grid = { ...options, dayWidth, minutesOfNow: now, ...divideIntoRows(timed, { dates, now }) };
  const shown = new Set(entries.flatMap((day) => day.map(({ event }) => event.calendar_id)));
  const lines = [
    headerLine(grid),
    ...allDayLines(allDay, grid),
    ...timeLines(grid),
    ...legendLines(shown, { ...grid, width: available, margin: AXIS_WIDTH }),
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

/** The lines of a day in a row, and the line that continues below them if another day has more. */
interface RowCell {
  readonly lines: readonly string[];
  readonly below: string;
}

/** The lines of a row, as many as the day with the most names needs. */
function rowLines(row: number, grid: Grid): readonly string[] {
  const { blocks, dates, today, start, step, minutesOfNow: now, dayWidth, style, unicode } = grid;
  const isNow = now !== null && row === Math.floor((now - start) / step);
  const blank = " ".repeat(dayWidth);
  const cells = blocks.map((day, index): RowCell => {
    const here = day.filter(({ item }) => covers(item, row));
    if (here.length > 0) return eventsCell(here, row, grid);
    const rule = style.dim((unicode ? "─" : "-").repeat(dayWidth));
    return { lines: [isNow && dates[index] === today ? rule : blank], below: blank };
  });
  return Array.from({ length: Math.max(...cells.map(({ lines }) => lines.length)) }, (_, line) => {
    const axis = line === 0 ? axisLabel(row, isNow, grid) : " ".repeat(AXIS_WIDTH);
    return `${axis}${cells.map(({ lines, below }) => ` ${lines[line] ?? below}`).join("")}`;
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

/** One row of one day. Overlapping events are next to each other if their names can be read, else one below the other. */
function eventsCell(here: readonly Placed<Block>[], row: number, grid: Grid): RowCell {
  const { dayWidth } = grid;
  const lanes = Math.max(...here.map((block) => block.lanes));
  if (lanes > 1 && Math.floor((dayWidth + 1) / lanes) - 1 < MIN_DAY_WIDTH)
    return stackedCell(here, row, grid);
  const drawn = (draw: (block: Block, width: number) => string) =>
    Array.from({ length: lanes }, (_, lane) => {
      const width = laneWidth(lane, lanes, dayWidth);
      const block = here.find((each) => each.lane === lane)?.item;
      return block === undefined ? " ".repeat(width) : draw(block, width);
    }).join(" ");
  const goesOn = ({ event, end }: Block, width: number) =>
    row === end - 1 ? " ".repeat(width) : drawBlockLine(event, { text: "", width }, grid);
  return {
    lines: [drawn((block, width) => blockCell(block, { row, width }, grid))],
    below: drawn(goesOn),
  };
}

/** Columns of a name next to the bars of other events. */
const MIN_NAME_WIDTH = 5;

/** A line for each event that begins, after the bars of the events that continue. */
function stackedCell(here: readonly Placed<Block>[], row: number, grid: Grid): RowCell {
  const { dayWidth } = grid;
  const maxBars = dayWidth - MIN_NAME_WIDTH;
  const barsOf = (events: readonly Placed<Block>[], width: number) =>
    Array.from({ length: width }, (_, lane) => {
      const event = events.find((each) => each.lane === lane)?.item.event;
      return event === undefined ? " " : drawBlockLine(event, { text: "", width: 1 }, grid);
    }).join("");
  const begins = here
    .filter(({ item }) => item.start === row)
    .toSorted((one, other) => one.lane - other.lane);
  const lines = begins.map(({ item, lane }, index) => {
    const others = here.filter((each) => each.item.start < row || begins.indexOf(each) < index);
    const before = Math.min(lane, maxBars);
    const bars = barsOf(others, before);
    const width = dayWidth - before;
    return `${bars}${drawBlockLine(item.event, { text: textOf(item, width, grid), width }, grid)}`;
  });
  const goingOn = (events: readonly Placed<Block>[]) => {
    const width = Math.min(Math.max(...here.map((block) => block.lanes)), maxBars);
    return `${barsOf(events, width)}${" ".repeat(dayWidth - width)}`;
  };
  return {
    lines: lines.length > 0 ? lines : [goingOn(here)],
    below: goingOn(here.filter(({ item }) => item.end > row + 1)),
  };
}

function laneWidth(lane: number, lanes: number, dayWidth: number): number {
  const room = dayWidth - (lanes - 1);
  return Math.floor(((lane + 1) * room) / lanes) - Math.floor((lane * room) / lanes);
}

function blockCell(
  block: Block,
  { row, width }: { readonly row: number; readonly width: number },
  grid: Grid,
): string {
  const { event, start, end } = block;
  const lines = wrapText(textOf(block, width, grid), { width: width - 1, breakWords: false });
  const index = row - start;
  const isCut = row === end - 1 && lines.length > end - start;
  const text = isCut ? lines.slice(index).join(" ") : (lines[index] ?? "");
  return drawBlockLine(event, { text, width }, grid);
}

/** The title, with the time of day before it if no row shows it and there is room. */
function textOf({ event, startClock }: Block, width: number, { hours }: Pick<Grid, "hours">): string {
  const title = titleOf(event);
  const hasClock = startClock !== null && width >= MIN_CLOCK_WIDTH;
  return hasClock ? `${clockOf(event.start_local ?? "", hours)} ${title}` : title;
}
