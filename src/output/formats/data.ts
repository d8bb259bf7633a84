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

/** One line per value, cells separated by tabs, without a header. */
export function renderTsv<T>({ view, values, fields, capabilities }: Rendering<T>): string {
  const keys = fields ?? presentKeys(view, view.tsv, values);
  if (keys.length === 0) return "";
  const lines = values.map((value) => keys.map((key) => textOf(view, key, value)));
  return lines.map((cells) => tsvLine(cells, capabilities)).join("");
}

/** One key and its value per line. */
export function renderTsvPairs<T>({ view, values, fields, capabilities }: Rendering<T>): string {
  const keys = fields ?? presentKeys(view, view.tsv, values);
  const lines = values.flatMap((value) => keys.map((key) => [key, textOf(view, key, value)]));
  return lines.map((cells) => tsvLine(cells, capabilities)).join("");
}

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

function tsvLine(cells: readonly string[], { isTerminal }: StreamCapabilities): string {
  const texts = cells.map((text) => text.replace(/[\t\n\r\\]/g, (found) => ESCAPES[found] ?? found));
  return `${(isTerminal ? texts.map(sanitizeLine) : texts).join("\t")}\n`;
}
