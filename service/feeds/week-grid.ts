import { DateTime } from "luxon";
import { HEX_COLOR } from "../../contract/limits.js";
import { type DayEntry, fillDays, lastsAllDay, listByDay } from "../../src/events/day-list.js";
import type { LocalizedEvent } from "../../src/events/localized-event.js";
import { divideIntoRows, type GridRows } from "../../src/events/views/grid-rows.js";
import { html, type Markup } from "../../src/html/page.js";
import { repeatedOffset } from "../../src/time/zoned-time.js";

/** Heights of a row and of a line of a card, as the style has them (rem). */
const ROW = 1.75;
const LINE = 1.05;

/** Heights of the grid and of a line on paper (mm). */
const PAPER = 145;
const PAPER_LINE = 3.1;

export interface WeekOptions {
  /** Its days, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  readonly today: string;
  /** In which the times of the events are. */
  readonly timezone: string;
  readonly showsCalendar: boolean;
}

/**
 * A week as a list of days, and the style that makes a grid of them. Attributes of style are refused by the policy of the page:
 * what is placed in the grid has classes.
 */
export function drawWeek(events: readonly LocalizedEvent[], options: WeekOptions) {
  const { dates } = options;
  const range = { first: dates[0] ?? "", last: dates.at(-1) ?? "" };
  const days = fillDays(listByDay(events, range), range);
  const timed = days.map(({ entries }) => entries.filter((entry) => !lastsAllDay(entry)));
  const grid = divideIntoRows(
    timed.map((entries) => entries.map(({ event }) => event)),
    { dates, now: null, maxRows: Number.POSITIVE_INFINITY },
  );
  const sections = days.map(({ date, entries }, column) => {
    const places = new Map(grid.blocks[column]?.map((placed) => [placed.item.event, placed]));
    return daySection({ date: date ?? "", entries, places }, options);
  });
  return {
    style: styleOf(grid, events),
    markup: html`<div class="week">
${axis(grid)}
${joined(sections)}
</div>`,
  };
}

/** The hours at the left of the grid, which each event says in words. */
function axis({ start, step, shown }: GridRows): Markup {
  const labels = shown.map((row, line) => {
    const minutes = start + (row ?? 0) * step;
    const hour = minutes % 60 === 0 ? `${String(minutes / 60).padStart(2, "0")}:00` : "";
    return html`<span class="h${String(line)}">${row === null ? "⋮" : hour}</span>`;
  });
  return html`<div class="axis" aria-hidden="true">${joined(labels)}</div>`;
}

interface DayColumn {
  readonly date: string;
  readonly entries: readonly DayEntry<LocalizedEvent>[];
  /** Of those that do not last all day. */
  readonly places: ReadonlyMap<LocalizedEvent, Place>;
}

type Place = GridRows["blocks"][number][number];

function daySection({ date, entries, places }: DayColumn, options: WeekOptions): Markup {
  const day = DateTime.fromISO(date, { zone: "utc", locale: "en" });
  const isToday = date === options.today;
  const kind = isToday ? "today" : date < options.today ? "past" : null;
  const list = (name: "whole" | "timed") => {
    const items = entries
      .filter((entry) => lastsAllDay(entry) === (name === "whole"))
      .map((entry) => eventItem(entry, places.get(entry.event), options));
    return items.length === 0 ? null : html`<ul class="${name}">${joined(items)}</ul>\n`;
  };
  return html`<section${kind === null ? null : html` class="${kind}"`}>
<h2${isToday ? html` aria-current="date"` : null}>${day.toFormat("cccc")} <span>${day.toFormat("d LLLL")}</span></h2>
${list("whole")}${list("timed")}${entries.length === 0 ? html`<p class="none">No events</p>` : null}</section>`;
}

function eventItem(
  entry: DayEntry<LocalizedEvent>,
  place: Place | undefined,
  { timezone, showsCalendar }: WeekOptions,
): Markup {
  const { title, location, calendar_name } = entry.event;
  const classes =
    place && !lastsAllDay(entry) ? `${rowsClass(place)} ${laneClass(place)} ${heightClass(place)} ` : "";
  const rest = [location, showsCalendar ? calendar_name : null].filter(Boolean).join(" · ");
  return html`<li class="${classes}${colorClass(entry.event)}"><div><span class="time">${timeOf(entry, timezone)}</span>
<b>${title?.trim() || "(no title)"}</b>${rest === "" ? null : html` <span class="rest">${rest}</span>`}</div></li>
`;
}

/** The end is an element of its own, which a small card hides. */
function timeOf({ event, part }: DayEntry<LocalizedEvent>, zone: string): string | Markup {
  if (lastsAllDay({ event, part })) return "All day";
  const clock = (local: string | null) => `${local?.slice(11, 16)}${repeatedOffset(local ?? "", zone)}`;
  const [start, end] = [clock(event.start_local), clock(event.end_local)];
  if (part === "first") return `from ${start}`;
  if (part === "last") return `until ${end}`;
  return event.start_local === event.end_local ? start : html`${start}<span class="end">–${end}</span>`;
}

function rowsClass({ item }: Place): string {
  return `r${item.start}-${item.end}`;
}

function laneClass({ lane, lanes }: Place): string {
  return `l${lane}-${lanes}`;
}

/** How many rows a card has; one row of several lanes is small, and so is any in a narrow lane. */
function heightClass({ item, lanes }: Place): string {
  const rows = item.end - item.start;
  return lanes > 2 || (rows === 1 && lanes > 1) ? `n${rows} small` : `n${rows}`;
}

function colorClass({ label }: LocalizedEvent): string {
  const color = label?.color ?? "";
  return HEX_COLOR.test(color) ? `k${color.slice(1).toLowerCase()}` : "";
}

/** The rules of the classes that this week has. Hours that are left out take one line of the grid. */
function styleOf({ blocks, shown }: GridRows, events: readonly LocalizedEvent[]): string {
  const heights = new Set(blocks.flat().map(({ item }) => item.end - item.start));
  const colors = events.map(colorClass).filter((name) => name !== "");
  const rules = [
    `.week{--rows:${shown.length}}`,
    ...shown.map((_, line) => `.h${line}{grid-row:${line + 1}}`),
    ...blocks.flat().flatMap((place) => {
      const { item, lane, lanes } = place;
      const lines = `${shown.indexOf(item.start) + 1}/${shown.indexOf(item.end - 1) + 2}`;
      const width = `margin-left:${(100 * lane) / lanes}%;width:calc(${100 / lanes}% - 2px)`;
      return [`.${rowsClass(place)}{grid-row:${lines}}`, `.${laneClass(place)}{${width}}`];
    }),
  ];
  return [
    ...new Set(colors.map((name) => `.${name}{--k:#${name.slice(1)}}`)),
    `@media (min-width:60rem),print{${[...new Set(rules)].join("")}${linesOf(heights, (rows) => (rows * ROW - 0.4) / LINE)}}`,
    `@media print{${linesOf(heights, (rows) => ((rows * PAPER) / shown.length - 0.6) / PAPER_LINE)}}`,
  ].join("");
}

/** How many whole lines a card shows, by how many rows it has. */
function linesOf(heights: ReadonlySet<number>, fitting: (rows: number) => number): string {
  return [...heights].map((rows) => `.n${rows}{--lines:${Math.max(1, Math.floor(fitting(rows)))}}`).join("");
}

function joined(parts: readonly Markup[]): Markup {
  return { html: parts.map((part) => part.html).join("") };
}
