import { sanitizeBlock, sanitizeLine } from "../sanitize.js";
import type { Cell, DrawOptions, Rendering } from "../view.js";
import { type Column, columnsOf, markerOf } from "./columns.js";
import { textWidth, widestOf, wrapText } from "./text-width.js";

export interface DetailOptions extends DrawOptions {
  /** Whether lines without a text are left out. */
  readonly skipEmpty: boolean;
}

/** Between names and texts. */
const GAP = "  ";
/** Before a text that does not fit next to its name. */
const INDENT = "  ";
/** In fewer columns, text is no easier to read than when the terminal wraps it. */
export const MIN_TEXT_WIDTH = 10;

/** One `name  text` per line, with a blank line between values. Long texts continue below their start. */
export function drawDetail(columns: readonly Column[], options: DetailOptions): string {
  const nameWidth = Math.max(...columns.map(({ header }) => textWidth(header)));
  const count = columns[0]?.cells.length ?? 0;
  const records = Array.from({ length: count }, (_, index) =>
    columns.flatMap((column) =>
      drawEntry(column, column.cells[index] ?? { text: "" }, { ...options, nameWidth }),
    ),
  );
  return records.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

/** A detail view of every field, including empty ones: the `draw` of a view. */
export function drawFields<T>(rendering: Rendering<T>, drawing: DrawOptions): string {
  return drawDetail(columnsOf(rendering, rendering.view.tsv), { ...drawing, skipEmpty: false });
}

function drawEntry(
  column: Column,
  cell: Cell,
  options: DetailOptions & { readonly nameWidth: number },
): readonly string[] {
  const { style, width, skipEmpty, nameWidth } = options;
  const name = style.dim(column.header);
  const text = (column.multiline ? sanitizeBlock(cell.text) : sanitizeLine(cell.text)).trim();
  if (text === "") return skipEmpty ? [] : [name];

  const marker = markerOf(cell, options);
  const breakWords = column.minWidth !== null;
  const linesAfter = (margin: string) =>
    wrapText(text, { width: Math.max(width - margin.length - marker.width, MIN_TEXT_WIDTH), breakWords });

  const link = (line: string): string => style.link(cell.url ?? null, line);
  const margin = " ".repeat(nameWidth) + GAP;
  const lines = linesAfter(margin);
  const widest = widestOf(lines.map(textWidth));
  if (!breakWords && margin.length + marker.width + widest > width) {
    return [name, ...indent(linesAfter(INDENT).map(link), INDENT)];
  }
  const [firstLine = "", ...others] = lines.map(link);
  const padding = " ".repeat(nameWidth - textWidth(column.header));
  return [`${name}${padding}${GAP}${marker.text}${firstLine}`, ...indent(others, margin)];
}

function indent(lines: readonly string[], margin: string): readonly string[] {
  return lines.map((line) => (line === "" ? "" : margin + line));
}
