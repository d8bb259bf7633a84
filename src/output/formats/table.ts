import { HEX_COLOR } from "../../../contract/limits.js";
import { describeRecurrences } from "../../time/recurrence/words.js";
import { sanitizeBlock, sanitizeLine } from "../sanitize.js";
import { createStyle, inCharset, PLAIN_STYLE, symbolsOf } from "../style.js";
import { textWidth, truncateText, widestOf, wrapText } from "../table/text-width.js";
import {
  type Cell,
  type CellTools,
  type DrawOptions,
  jsonOf,
  type KeyOf,
  presentKeys,
  type Rendering,
  showsUnicode,
  type TableColumn,
  textOf,
  type View,
  widthOf,
} from "../view.js";

/**
 * A table for people: columns for a list that fits the terminal, otherwise a detail view. All text is sanitized.
 */
export async function renderTable<T>(rendering: Rendering<T>): Promise<string> {
  const { capabilities } = rendering;
  const style = await createStyle(capabilities);
  return draw(
    rendering,
    { style, width: widthOf(capabilities), unicode: showsUnicode(capabilities) },
    () => true,
  );
}

/** Ids that mean nothing to the reader of an email. */
const IDS: readonly unknown[] = ["id", "calendar_id", "event_id"];

/** The same for mails and posts: without colors, and without ids unless `--fields` names them. */
export async function renderText<T>(rendering: Rendering<T>): Promise<string> {
  const { capabilities } = rendering;
  const drawing = { style: PLAIN_STYLE, width: widthOf(capabilities), unicode: showsUnicode(capabilities) };
  return draw(rendering, drawing, (pick) => !IDS.includes(pick));
}

async function draw<T>(
  rendering: Rendering<T>,
  drawing: DrawOptions,
  isShown: (pick: unknown) => boolean,
): Promise<string> {
  const { view, values, single, fields } = rendering;
  const drawn = await view.draw?.(rendering, drawing);
  if (drawn !== null && drawn !== undefined) return drawn;
  if (values.length === 0) return "";
  const table = view.table ?? view.tsv;
  const columns = columnsOf(rendering, (single ? (view.detail ?? table) : table).filter(isShown));
  const skipEmpty = fields === null;
  const filled = skipEmpty ? columns.filter(({ cells }) => cells.some(({ text }) => text !== "")) : columns;
  const text = (single ? null : drawList(filled, drawing)) ?? drawDetail(columns, { ...drawing, skipEmpty });
  return inCharset(text, drawing);
}

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

export interface DetailOptions extends DrawOptions {
  /** Whether lines without a text are left out. */
  readonly skipEmpty: boolean;
}

/** Between names and texts. */
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

/** A column of a list, or a line of a detail view, with one cell for each value. */
export interface Column {
  readonly header: string;
  readonly cells: readonly Cell[];
  /** Narrowest width; null when the text is never cut or broken. */
  readonly minWidth: number | null;
  /** Whether it shrinks before the others. */
  readonly shrinksFirst: boolean;
  readonly multiline: boolean;
}

/** Words whose spelling is not lower case. */
const SPELLINGS: Readonly<Record<string, string>> = { id: "ID", url: "URL", uri: "URI", uris: "URIs" };

/** The columns that `--fields` names, otherwise those of `picks` that the values need. */
export function columnsOf<T>(
  { view, values, fields, hours, zone }: Rendering<T>,
  picks: readonly (KeyOf<T> | TableColumn<T>)[],
): readonly Column[] {
  const tools: CellTools = { hours, zone, describeRepeats: describeRecurrences };
  const shown = fields ?? picks.filter((pick) => isShown(view, pick, values));
  return shown.map((pick) =>
    typeof pick === "string"
      ? columnOfKey(view, pick, { values, tools })
      : {
          header: pick.header,
          cells: values.map((value) => pick.cell(value, tools)),
          minWidth: null,
          shrinksFirst: false,
          multiline: false,
        },
  );
}

function isShown<T>(view: View<T>, pick: KeyOf<T> | TableColumn<T>, values: readonly T[]): boolean {
  if (typeof pick === "string") return presentKeys(view, [pick], values).length > 0;
  return pick.isShown?.(values) ?? true;
}

function columnOfKey<T>(
  view: View<T>,
  key: KeyOf<T>,
  { values, tools }: { readonly values: readonly T[]; readonly tools: CellTools },
): Column {
  const { cell, header = headerOf(key) } = view.keys[key];
  const { minWidth = null, shrinksFirst = false, multiline = false } = view.keys[key];
  const cells = values.map((value) => cell?.(value, tools) ?? { text: readableText(view, key, value) });
  return { header, cells, minWidth, shrinksFirst, multiline };
}

function readableText<T>(view: View<T>, key: KeyOf<T>, value: T): string {
  const json = jsonOf(view, key, value);
  if (typeof json === "boolean") return json ? "yes" : "no";
  return textOf(view, key, value);
}

/** `start_local` -> `Start local`, `base_url` -> `Base URL`. */
function headerOf(key: string): string {
  const words = key.split("_").map((word) => SPELLINGS[word] ?? word);
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The color marker of a cell, with a space after it. */
export interface Marker {
  readonly text: string;
  /** Columns of the terminal. */
  readonly width: number;
}

const NO_MARKER: Marker = { text: "", width: 0 };

/** The color marker before a cell's text; empty when the cell has no color or the stream shows none. */
export function markerOf(
  { color }: Cell,
  { style, unicode }: Pick<DrawOptions, "style" | "unicode">,
): Marker {
  if (!style.enabled || !HEX_COLOR.test(color ?? "")) return NO_MARKER;
  return { text: `${style.hex(color ?? "", symbolsOf({ unicode }).dot)} `, width: 2 };
}
