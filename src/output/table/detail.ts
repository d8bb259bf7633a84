import { sanitizeBlock, sanitizeLine } from "../sanitize.js";
import type { Cell } from "../view.js";
import { dotOf, type FilledColumn } from "./columns.js";
import type { TableOptions } from "./grid.js";
import { textWidth, wrapText } from "./text-width.js";

export interface ListingOptions extends TableOptions {
  /** Whether lines without a text are left out. */
  readonly skipEmpty: boolean;
}

/** Names and texts stand this far apart. */
const GAP = "  ";
/** Before a text that does not fit beside its name. */
const INDENT = "  ";
/** Narrower text is no easier to read than text that the terminal breaks. */
const WIDTH_MIN = 10;

/** One `name  text` a line for each value, a blank line between values. Long texts go on below their beginning. */
export function drawListing(columns: readonly FilledColumn[], options: ListingOptions): string {
  const nameWidth = Math.max(...columns.map(({ header }) => textWidth(header)));
  const count = columns[0]?.cells.length ?? 0;
  const records = Array.from({ length: count }, (_, index) =>
    columns.flatMap((column) => {
      const cell = column.cells[index] ?? { text: "" };
      return drawEntry({ column, cell, nameWidth }, options);
    }),
  );
  return records.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

interface Entry {
  readonly column: FilledColumn;
  readonly cell: Cell;
  readonly nameWidth: number;
}

function drawEntry({ column, cell, nameWidth }: Entry, options: ListingOptions): readonly string[] {
  const { style, width, skipEmpty } = options;
  const name = style.dim(column.header);
  const text = (column.multiline ? sanitizeBlock(cell.text) : sanitizeLine(cell.text)).trim();
  if (text === "") return skipEmpty ? [] : [name];

  const dot = dotOf(cell, style);
  const breakWords = column.shrinkTo !== null;
  const linesAfter = (margin: string) =>
    wrapText(text, { width: Math.max(width - margin.length - dot.width, WIDTH_MIN), breakWords });

  const margin = " ".repeat(nameWidth) + GAP;
  const lines = linesAfter(margin);
  const widest = Math.max(...lines.map(textWidth));
  if (!breakWords && margin.length + dot.width + widest > width) {
    return [name, ...indent(linesAfter(INDENT), INDENT)];
  }
  const [firstLine = "", ...others] = lines;
  const padding = " ".repeat(nameWidth - textWidth(column.header));
  return [`${name}${padding}${GAP}${dot.text}${firstLine}`, ...indent(others, margin)];
}

function indent(lines: readonly string[], margin: string): readonly string[] {
  return lines.map((line) => (line === "" ? "" : margin + line));
}
