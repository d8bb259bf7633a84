import { sanitizeLine } from "../../output/sanitize.js";
import { symbolsOf } from "../../output/style.js";
import { padText, textWidth, truncateText } from "../../output/table/text-width.js";
import type { DrawOptions, Hours } from "../../output/view.js";
import type { DayEntry } from "../day-list.js";
import type { LocalizedEvent } from "../localized-event.js";
import { isEventOver } from "./days.js";
import { type Interval, type Placed, placeInLanes } from "./grid-rows.js";

/** How grids of days draw an event, in the color or with the bar of its calendar. */

export interface BlockOptions extends DrawOptions {
  /** Today in the chosen zone, as `YYYY-MM-DD`. */
  readonly today: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly hours?: Hours | undefined;
  /** Those that were asked. */
  readonly calendars: readonly GridCalendar[];
}

/** A calendar as the grid names it. Null or absent: it has no name or color, or none is known. */
export interface GridCalendar {
  readonly id: string;
  readonly name?: string | null;
  readonly color?: string | null;
}

/** A day in fewer columns cannot be read. */
export const MIN_DAY_WIDTH = 8;
/** At least, where the width is not known. */
export const DEFAULT_WIDTH = 120;

/** Narrower blocks have no room for their start. */
export const MIN_CLOCK_WIDTH = 14;

/** Bars of calendars where colors do not tell them apart. */
const BARS = { unicode: ["▌", "┃", "│", "┆", "║", "▒"], ascii: ["|", "!", ":", "#", "=", "%"] };
/** Columns of a calendar's name. */
const MAX_NAME_WIDTH = 20;

/** An event over the columns of its days. */
export interface Bar extends Interval {
  /** Of its first day here. */
  readonly entry: DayEntry<LocalizedEvent>;
}

/** Each event as one bar over its days, the longest above. @param days those that are drawn as bars */
export function placeBars(days: readonly (readonly DayEntry<LocalizedEvent>[])[]): readonly Placed<Bar>[] {
  const bars = new Map<LocalizedEvent, Bar>();
  for (const [index, entries] of days.entries()) {
    for (const entry of entries)
      bars.set(entry.event, { entry, start: index, ...bars.get(entry.event), end: index + 1 });
  }
  return placeInLanes([...bars.values()].sort((one, other) => other.end - one.end));
}

/** The title, and a line to the end of the bar's last day. */
export function fillBar(title: string, width: number, { unicode }: Pick<DrawOptions, "unicode">): string {
  const room = width - textWidth(title) - 2;
  return room < 1 ? title : `${title} ${(unicode ? "─" : "-").repeat(room)}${unicode ? "╴" : "-"}`;
}

/** One line of an event: a bar and text. */
export function drawBlockLine(
  event: LocalizedEvent,
  { text, width }: { readonly text: string; readonly width: number },
  grid: BlockOptions,
): string {
  const shown = padText(truncateText(text, width - 1), width - 1);
  return `${barOf(event, grid)}${isEventOver(event, grid) ? grid.style.dim(shown) : shown}`;
}

type BarOptions = Pick<BlockOptions, "style" | "unicode" | "calendars">;

/** In the color of the calendar where there are several, otherwise in that of the label. */
function barOf({ label, calendar_id }: LocalizedEvent, options: BarOptions): string {
  const { style, unicode, calendars } = options;
  if (calendars.length < 2) return style.hex(label?.color ?? "", symbolsOf({ unicode }).bar);
  return calendarBar(
    calendars.findIndex(({ id }) => id === calendar_id),
    options,
  );
}

function calendarBar(index: number, { style, unicode, calendars }: BarOptions): string {
  if (style.enabled) return style.hex(calendars[index]?.color ?? "", symbolsOf({ unicode }).bar);
  const bars = unicode ? BARS.unicode : BARS.ascii;
  return bars[index % bars.length] ?? "";
}

/** Which bar is whose, for the calendars that have events here. */
export function legendLines(
  shown: ReadonlySet<string>,
  grid: BlockOptions & { readonly margin: number },
): readonly string[] {
  const { calendars, width, margin } = grid;
  if (calendars.length < 2 || shown.size === 0) return [];
  const lines: string[] = [];
  let used = width;
  for (const [index, { id, name }] of calendars.entries()) {
    if (!shown.has(id)) continue;
    const text = truncateText(sanitizeLine(name || id).trim(), MAX_NAME_WIDTH);
    const added = 1 + textWidth(text) + LEGEND_GAP.length;
    const isNew = used + added > width;
    if (isNew) lines.push(" ".repeat(margin + 1));
    used = isNew ? margin + 1 + added : used + added;
    lines.push(`${lines.pop() ?? ""}${calendarBar(index, grid)}${text}${LEGEND_GAP}`);
  }
  return ["", ...lines];
}

const LEGEND_GAP = "  ";
