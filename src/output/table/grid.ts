import { sanitizeLine } from "../sanitize.js";
import type { Style } from "../style.js";
import type { Cell } from "../view.js";
import { dotOf, type FilledColumn } from "./columns.js";
import { textWidth, truncateText } from "./text-width.js";

export interface TableOptions {
  readonly style: Style;
  /** Columns of the terminal; Infinity for no limit. */
  readonly width: number;
}

/** A cell as it is drawn. */
interface DrawnCell {
  readonly text: string;
  /** Columns of the terminal that the text takes. */
  readonly width: number;
}

const GAP = "  ";
const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: GAP,
};
const STAND_IN = "x";

/** A header and one line a value. Null when the columns do not fit the width. */
export async function drawGrid(
  columns: readonly FilledColumn[],
  { style, width }: TableOptions,
): Promise<string | null> {
  const demands = columns.map((column) => demandOf(column, style));
  const widths = fitWidths(demands, width - GAP.length * (columns.length - 1));
  if (widths === null) return null;
  const drawn = columns.map(({ header, cells }, index) => {
    const limit = widths[index] ?? 0;
    return [drawHeader(header, style), ...cells.map((cell) => drawCell(cell, style, limit))];
  });
  return await layOut(rowsOf(drawn));
}

function demandOf({ header, cells, shrinkTo, yieldsFirst }: FilledColumn, style: Style) {
  const headerWidth = textWidth(header);
  const natural = cells.reduce(
    (widest, cell) => Math.max(widest, drawCell(cell, style, Number.POSITIVE_INFINITY).width),
    headerWidth,
  );
  const least = shrinkTo === null ? natural : Math.min(natural, Math.max(shrinkTo, headerWidth));
  return { natural, least, yieldsFirst };
}

function drawHeader(header: string, style: Style): DrawnCell {
  return { text: style.bold(header), width: textWidth(header) };
}

function drawCell(cell: Cell, style: Style, limit: number): DrawnCell {
  const dot = dotOf(cell, style);
  const text = truncateText(sanitizeLine(cell.text).trimEnd(), limit - dot.width);
  return { text: dot.text + text, width: dot.width + textWidth(text) };
}

function rowsOf(columns: readonly (readonly DrawnCell[])[]): readonly (readonly DrawnCell[])[] {
  const [first = []] = columns;
  return first.map((_, row) => columns.flatMap((cells) => cells[row] ?? []));
}

/**
 * The table package measures with an older width table and cuts inside surrogate pairs. So it lays out stand-ins
 * of the right width, which then give way to the cells in the order in which it drew them.
 */
async function layOut(rows: readonly (readonly DrawnCell[])[]): Promise<string> {
  const { default: Table } = await import("cli-table3");
  const table = new Table({
    chars: NO_BORDERS,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  for (const row of rows) table.push(row.map(({ width }) => STAND_IN.repeat(width)));
  const lines = table.toString().split("\n");
  const cells = rows.flat().filter(({ width }) => width > 0);
  let next = 0;
  return lines
    .map((line) => `${line.trimEnd()}\n`)
    .join("")
    .replace(new RegExp(`${STAND_IN}+`, "g"), () => cells[next++]?.text ?? "");
}

export interface ColumnDemand {
  /** Columns of the terminal that the widest cell takes. */
  readonly natural: number;
  /** What it can do with at least. */
  readonly least: number;
  /** Gives way before the others do. */
  readonly yieldsFirst: boolean;
}

/**
 * Widths that together take at most `available` columns: those that yield first give way, then the widest. Null
 * when even the least widths are too wide.
 */
export function fitWidths(demands: readonly ColumnDemand[], available: number): readonly number[] | null {
  const widths = demands.map(({ natural }) => natural);
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const first = widestShrinkable(demands, widths, true);
    const index = first === -1 ? widestShrinkable(demands, widths, false) : first;
    if (index === -1) return null;
    widths[index] = (widths[index] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function widestShrinkable(
  demands: readonly ColumnDemand[],
  widths: readonly number[],
  first: boolean,
): number {
  let widest = -1;
  for (const [index, { least, yieldsFirst }] of demands.entries()) {
    const width = widths[index] ?? 0;
    if (yieldsFirst === first && width > least && width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
