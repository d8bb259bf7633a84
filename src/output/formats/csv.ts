import { sanitizeLine } from "../sanitize.js";
import { presentKeys, type Rendering, textOf } from "../view.js";

/** CSV with a header line and the columns of tsv. @see RFC 4180 */
export function renderCsv<T>(rendering: Rendering<T>): string {
  const { view, values } = rendering;
  const keys = columnsOf(rendering);
  if (keys.length === 0) return "";
  return csvText([keys, ...values.map((value) => keys.map((key) => textOf(view, key, value)))], rendering);
}

/** One key and its value per line. */
export function renderCsvPairs<T>(rendering: Rendering<T>): string {
  const { view, values } = rendering;
  const keys = columnsOf(rendering);
  const pairs = values.flatMap((value) => keys.map((key) => [key, textOf(view, key, value)]));
  return csvText([["key", "value"], ...pairs], rendering);
}

function columnsOf<T>({ view, values, fields }: Rendering<T>) {
  return fields ?? presentKeys(view, view.tsv, values);
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
