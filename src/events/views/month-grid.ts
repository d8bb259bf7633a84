import { DAY_MS } from "../../../contract/date-time.js";
import { inCharset, symbolsOf } from "../../output/style.js";
import { padText, truncateText } from "../../output/table/text-width.js";
import { dayOf } from "../../time/day-names.js";
import { addDays } from "../../time/zoned-time.js";
import { type Day, type DayEntry, lastsAllDay } from "../day-list.js";
import type { LocalizedEvent } from "../localized-event.js";
import { clockOf, titleOf } from "./event-when.js";
import {
  type BlockOptions,
  DEFAULT_WIDTH,
  drawBlockLine,
  fillBar,
  legendLines,
  MIN_CLOCK_WIDTH,
  MIN_DAY_WIDTH,
  placeBars,
} from "./grid-blocks.js";
import { covers } from "./grid-rows.js";

export interface MonthGridOptions extends BlockOptions {
  /** The first and the last day of the month, as `YYYY-MM-DD`. */
  readonly first: string;
  readonly last: string;
  /** The first day of a week, as `Date` counts: 0 is Sunday. */
  readonly weekStart: number;
}

const WEEK = 7;
/** Lines of a week below its days. */
const MAX_LINES = 5;

/** How many columns a month needs at least. */
export const NARROWEST_MONTH = WEEK * (MIN_DAY_WIDTH + 1) - 1;

/** Draws a month, a line of days for each week with their events below. Null if the terminal is too narrow. */
export function drawMonth(days: readonly Day<LocalizedEvent>[], options: MonthGridOptions): string | null {
  const available = Number.isFinite(options.width) ? options.width : DEFAULT_WIDTH;
  if (available < NARROWEST_MONTH) return null;
  const month = { ...options, width: available, dayWidth: Math.floor((available + 1) / WEEK) - 1 };
  const { first, last, weekStart } = month;
  const isBegun = (entry: Entry) => entry.part !== "last" || isBar(entry);
  const byDate = new Map(
    days.map(({ date, entries }) => [date, date === first ? entries : entries.filter(isBegun)]),
  );
  const lines: string[] = [];
  const { day, dayOfWeek } = dayOf(first);
  const before = (dayOfWeek - weekStart + WEEK) % WEEK;
  const weekFrom = (start: number) =>
    Array.from({ length: WEEK }, (_, index) => addDays(first, start + index));
  // The first week may have days before the year 0000, which have no names.
  lines.push(...headLines(weekFrom(WEEK - before), month));
  for (let start = -before; start <= dayOf(last).day - day; start += WEEK) {
    const dates = weekFrom(start);
    lines.push(dates.map((date) => dayLine(date, month)).join(" "));
    lines.push(
      ...weekLines(
        dates.map((date) => byDate.get(date) ?? []),
        month,
      ),
    );
  }
  if (lines.at(-1)?.trim() === "") lines.pop();
  const shown = new Set(days.flatMap(({ entries }) => entries.map(({ event }) => event.calendar_id)));
  lines.push(...legendLines(shown, { ...month, margin: 0 }));
  return inCharset(lines.map((line) => `${line.trimEnd()}\n`).join(""), options);
}

interface Month extends MonthGridOptions {
  /** Columns of a day, without the gap before it. */
  readonly dayWidth: number;
}

/** The month, and the days of the week. */
function headLines(dates: readonly string[], { first, style, dayWidth }: Month): readonly string[] {
  const { month, year } = dayOf(first);
  const names = dates.map((date) => padText(` ${dayOf(date).weekday}`, dayWidth));
  return [style.bold(`${month} ${year}`), style.dim(names.join(" "))];
}

const RULES = {
  unicode: { day: "─", weekend: "┄", today: "━" },
  ascii: { day: "-", weekend: ".", today: "=" },
};

/** The number of a day, which is marked if it is today or of a weekend; nothing for a day of another month. */
function dayLine(date: string, { first, last, today, style, unicode, dayWidth }: Month): string {
  if (date < first || date > last) return " ".repeat(dayWidth);
  const { weekday, date: day } = dayOf(date);
  const rules = unicode ? RULES.unicode : RULES.ascii;
  const rule = (character: string) => character.repeat(dayWidth - " 21 ".length);
  const number = String(day).padStart(2);
  if (date === today) return style.bold(`${symbolsOf({ unicode }).running}${number} ${rule(rules.today)}`);
  if (weekday.startsWith("S")) return style.dim(` ${number} ${rule(rules.weekend)}`);
  return ` ${number} ${style.dim(rule(rules.day))}`;
}

type Entry = DayEntry<LocalizedEvent>;

/** A part of a line, from the column of a day on. */
interface Segment {
  /** Null for how many more events there are. */
  readonly event: LocalizedEvent | null;
  readonly text: string;
  /** How many days it takes. */
  readonly days: number;
}

/** The events of a week: those of several days or all day as bars, then the others by day, as many as there are lines for. */
function weekLines(week: readonly (readonly Entry[])[], month: Month): readonly string[] {
  const rows: Segment[][] = [[]];
  const put = (row: number, column: number, segment: Segment) => {
    rows[row] = Object.assign(rows[row] ?? [], { [column]: segment });
  };
  const bars = placeBars(week.map((entries) => entries.filter(isBar)));
  for (const { item, lane } of bars.filter(hasRoom)) {
    const days = item.end - item.start;
    const text = fillBar(titleIn(item.entry, month), widthOf(days, month) - 1, month);
    put(lane, item.start, { event: item.entry.event, text, days });
  }
  for (const [column, entries] of week.entries()) {
    const here = bars.filter(({ item }) => covers(item, column));
    const above = Math.max(0, ...here.filter(hasRoom).map(({ lane }) => lane + 1));
    const single = entries.filter((entry) => !isBar(entry));
    const count = single.length + here.filter((bar) => !hasRoom(bar)).length;
    const shown = count > MAX_LINES - above ? single.slice(0, MAX_LINES - above - 1) : single;
    for (const [index, entry] of shown.entries())
      put(above + index, column, { event: entry.event, text: titleIn(entry, month), days: 1 });
    const more = count - shown.length;
    if (more > 0) put(above + shown.length, column, { event: null, text: `+${more} more`, days: 1 });
  }
  return rows.map((row) => rowLine(row, month));
}

/** Below the bars there is a line at least. */
function hasRoom({ lane }: { readonly lane: number }): boolean {
  return lane < MAX_LINES - 1;
}

/** Whether an event is drawn over all of its days; an event over one night is drawn on its first day alone. */
function isBar({ event, part }: Entry): boolean {
  const length = Date.parse(event.end_at ?? "") - Date.parse(event.start_at ?? "");
  return lastsAllDay({ event, part }) || (part !== "whole" && length >= DAY_MS);
}

/** With the time at which it begins, where there is room. */
function titleIn({ event, part }: Entry, { dayWidth, hours }: Month): string {
  const hasClock = dayWidth >= MIN_CLOCK_WIDTH && event.all_day !== true && ["whole", "first"].includes(part);
  return hasClock ? `${clockOf(event.start_local ?? "", hours)} ${titleOf(event)}` : titleOf(event);
}

/** Columns of some days beside each other. */
function widthOf(days: number, { dayWidth }: Month): number {
  return days * (dayWidth + 1) - 1;
}

function rowLine(row: readonly (Segment | undefined)[], month: Month): string {
  const cells: string[] = [];
  for (let column = 0; column < WEEK; ) {
    const { event, text, days } = row[column] ?? { event: null, text: "", days: 1 };
    const width = widthOf(days, month);
    const more = truncateText(text === "" ? "" : ` ${text}`, width);
    const padding = " ".repeat(Math.max(0, width - more.length));
    cells.push(
      event === null ? month.style.dim(more) + padding : drawBlockLine(event, { text, width }, month),
    );
    column += days;
  }
  return cells.join(" ");
}
