import type { Rendering } from "../rendering.js";
import { escapeJson } from "../sanitize.js";
import { jsonObject, keysOf } from "../values.js";

/** One compact JSON object a line. */
export function renderNdjson<T>({ view, values, fields, surface }: Rendering<T>): string {
  const keys = fields ?? keysOf(view);
  const lines = values.map((value) => `${JSON.stringify(jsonObject(view, value, keys))}\n`).join("");
  return surface.isTerminal ? escapeJson(lines) : lines;
}
