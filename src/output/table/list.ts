import { sanitizeLine } from "../sanitize.js";
import type { Cell, DrawOptions } from "../view.js";
import { type Column, markerOf } from "./columns.js";
import { textWidth, truncateText, widestOf } from "./text-width.js";

/** A cell as it is drawn. */
interface DrawnCell {
  readonly text: string;
  /** Columns of the terminal. */
  readonly width: number;
}

const GAP = "  ";

/** A header and one line for each value. Null when the columns do not fit the width; empty without columns. */
export function drawList(columns: readonly Column[], drawing: DrawOptions): string | null {
  const { style, width } = drawing;
  const ranges = columns.map((column) => widthRangeOf(column, drawing));
  const limits = fitWidths(ranges, width - GAP.length * (columns.length - 1));
  if (limits === null) return null;
  const drawn = columns.map(({ header, cells }, index) => [
    { text: style.bold(header), width: textWidth(header) },
    ...cells.map((cell) => drawCell(cell, drawing, limits[index] ?? 0)),
  ]);
  const padded = drawn.map(padCells);
  const lines = padded[0]?.map((_, row) => padded.map((cells) => cells[row] ?? "").join(GAP)) ?? [];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function drawCell(cell: Cell, drawing: DrawOptions, limit: number): DrawnCell {
  const { style } = drawing;
  const marker = markerOf(cell, drawing);
  const text = truncateText(sanitizeLine(cell.text).trimEnd(), limit - marker.width);
  return { text: marker.text + style.link(cell.url ?? null, text), width: marker.width + textWidth(text) };
}

function padCells(cells: readonly DrawnCell[]): readonly string[] {
  const widest = widestOf(cells.map(({ width }) => width));
  return cells.map(({ text, width }) => text + " ".repeat(widest - width));
}

function widthRangeOf({ header, cells, minWidth, shrinksFirst }: Column, drawing: DrawOptions): WidthRange {
  const headerWidth = textWidth(header);
  const widths = cells.map((cell) => drawCell(cell, drawing, Number.POSITIVE_INFINITY).width);
  const max = Math.max(headerWidth, widestOf(widths));
  return { min: minWidth === null ? max : Math.min(max, Math.max(minWidth, headerWidth)), max, shrinksFirst };
}

/** The widths a column may have, in columns of the terminal. */
interface WidthRange {
  readonly min: number;
  /** Width of the widest cell. */
  readonly max: number;
  /** Whether it shrinks before the others. */
  readonly shrinksFirst: boolean;
}

/**
 * Widths that together take at most `available` columns: those that shrink first give up space, then the widest.
 * Null when even the smallest widths are too wide.
 */
function fitWidths(ranges: readonly WidthRange[], available: number): readonly number[] | null {
  const widths = ranges.map(({ max }) => max);
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const first = widestShrinkable(ranges, widths, true);
    const index = first === -1 ? widestShrinkable(ranges, widths, false) : first;
    if (index === -1) return null;
    widths[index] = (widths[index] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function widestShrinkable(
  ranges: readonly WidthRange[],
  widths: readonly number[],
  shrinksFirst: boolean,
): number {
  let widest = -1;
  for (const [index, range] of ranges.entries()) {
    const width = widths[index] ?? 0;
    const isCandidate = range.shrinksFirst === shrinksFirst && width > range.min;
    if (isCandidate && width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
