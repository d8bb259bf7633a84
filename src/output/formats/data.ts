import { escapeJson, sanitizeLine } from "../sanitize.js";
import {
  createJsonReader,
  memberKeys,
  presentKeys,
  type Rendering,
  type StreamCapabilities,
  textOf,
} from "../view.js";

/** A value as JSON with a line feed at its end, on a terminal with control characters escaped. @see RFC 8259 */
export function jsonText(value: unknown, { isTerminal }: StreamCapabilities, indent = 2): string {
  const text = `${JSON.stringify(value, null, indent)}\n`;
  return isTerminal ? escapeJson(text) : text;
}

/** One JSON document: an object for a single value, an array for a list. */
export function renderJson<T>({ view, values, single, fields, capabilities }: Rendering<T>): string {
  const objects = values.map(createJsonReader(view, fields ?? memberKeys(view)));
  return jsonText(single ? objects[0] : objects, capabilities);
}

/** Values in one piece of a list. */
const PIECE = 500;

/** The same, a long list in pieces, so that its whole text is never held. */
export function renderLongJson<T>(rendering: Rendering<T>): string | Generator<string> {
  const isLong = rendering.values.length > PIECE && !rendering.capabilities.isTerminal;
  return isLong ? renderPieces(rendering) : renderJson(rendering);
}

function* renderPieces<T>(rendering: Rendering<T>): Generator<string> {
  const { values } = rendering;
  for (let start = 0; start < values.length; start += PIECE) {
    const text = renderJson({ ...rendering, values: values.slice(start, start + PIECE) });
    yield `${start === 0 ? "[" : ","}${text.slice("[".length, -"\n]\n".length)}`;
  }
  yield "\n]\n";
}

/** One compact JSON object per line. */
export function renderNdjson<T>({ view, values, fields, capabilities }: Rendering<T>): string {
  const read = createJsonReader(view, fields ?? memberKeys(view));
  return values.map((value) => jsonText(read(value), capabilities, 0)).join("");
}

/** The columns of tsv and csv. */
function columnsOf<T>({ view, values, fields }: Rendering<T>) {
  return fields ?? presentKeys(view, view.tsv, values);
}

function rowsOf<T>(rendering: Rendering<T>): readonly (readonly string[])[] {
  const { view, values } = rendering;
  const keys = columnsOf(rendering);
  return keys.length === 0 ? [] : values.map((value) => keys.map((key) => textOf(view, key, value)));
}

/** One key and its value per line. */
function pairsOf<T>(rendering: Rendering<T>): readonly (readonly string[])[] {
  const keys = columnsOf(rendering);
  return rowsOf(rendering).flatMap((cells) => cells.map((text, index) => [keys[index] ?? "", text]));
}

/** One line per value, cells separated by tabs, without a header. */
export function renderTsv<T>(rendering: Rendering<T>): string {
  return tsvText(rowsOf(rendering), rendering);
}

export function renderTsvPairs<T>(rendering: Rendering<T>): string {
  return tsvText(pairsOf(rendering), rendering);
}

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

function tsvText(
  rows: readonly (readonly string[])[],
  { capabilities }: Pick<Rendering<unknown>, "capabilities">,
): string {
  const escaped = (text: string) => text.replace(/[\t\n\r\\]/g, (found) => ESCAPES[found] ?? found);
  const lines = rows.map((cells) => cells.map(escaped));
  const shown = capabilities.isTerminal ? lines.map((cells) => cells.map(sanitizeLine)) : lines;
  return shown.map((cells) => `${cells.join("\t")}\n`).join("");
}

/** CSV with a header line and the columns of tsv. @see RFC 4180 */
export function renderCsv<T>(rendering: Rendering<T>): string {
  const keys = columnsOf(rendering);
  return keys.length === 0 ? "" : csvText([keys, ...rowsOf(rendering)], rendering);
}

export function renderCsvPairs<T>(rendering: Rendering<T>): string {
  return csvText([["key", "value"], ...pairsOf(rendering)], rendering);
}

type CsvOptions = Pick<Rendering<unknown>, "csvSafe" | "capabilities">;

function csvText(rows: readonly (readonly string[])[], options: CsvOptions): string {
  return rows.map((cells) => `${csvLine(cells, options)}\r\n`).join("");
}

function csvLine(cells: readonly string[], { csvSafe, capabilities }: CsvOptions): string {
  const texts = csvSafe ? cells.map(defuseFormula) : cells;
  const line = (capabilities.isTerminal ? texts.map(sanitizeLine) : texts).map(quote).join(",");
  // Readers skip empty lines.
  return line === "" ? '""' : line;
}

/** A spreadsheet takes text that begins like this for a formula, and an apostrophe before it for text. */
function defuseFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
