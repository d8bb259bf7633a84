import { escapeJson } from "../sanitize.js";
import { jsonObject, keysOf } from "../view.js";
import type { Rendering } from "./renderer.js";

/** One JSON document: an object for one value alone, an array for a list. @see RFC 8259 */
export function renderJson<T>({ view, values, single, fields, surface }: Rendering<T>): string {
  const objects = values.map((value) => jsonObject(view, value, fields ?? keysOf(view)));
  const text = JSON.stringify(single ? objects[0] : objects, null, 2);
  return `${surface.isTerminal ? escapeJson(text) : text}\n`;
}

/** One compact JSON object a line. */
export function renderNdjson<T>({ view, values, fields, surface }: Rendering<T>): string {
  const keys = fields ?? keysOf(view);
  const lines = values.map((value) => `${JSON.stringify(jsonObject(view, value, keys))}\n`).join("");
  return surface.isTerminal ? escapeJson(lines) : lines;
}
