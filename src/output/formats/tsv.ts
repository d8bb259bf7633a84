import { sanitizeLine } from "../sanitize.js";
import { presentKeys, textOf } from "../view.js";
import type { Rendering } from "./renderer.js";

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

/** Lines of cells between tabs, without a header. */
export function renderTsv<T>({ view, values, fields, surface }: Rendering<T>): string {
  const keys = fields ?? presentKeys(view, view.tsv, values);
  const line = (cells: readonly string[]) => {
    const text = cells.map(escapeCell);
    return `${(surface.isTerminal ? text.map(sanitizeLine) : text).join("\t")}\n`;
  };
  if (keys.length === 0) return "";
  switch (view.layout) {
    case "rows":
    case "bare":
      return values.map((value) => line(keys.map((key) => textOf(view, key, value)))).join("");
    case "pairs":
      return values.flatMap((value) => keys.map((key) => line([key, textOf(view, key, value)]))).join("");
  }
}

function escapeCell(text: string): string {
  return text.replace(/[\t\n\r\\]/g, (found) => ESCAPES[found] ?? found);
}
