import { sanitizeBlock, sanitizeLine, ZERO_WIDTH_SPACE } from "../sanitize.js";
import type { Cell, Rendering } from "../view.js";
import { type Column, columnsOf } from "./table.js";

/** Markdown for reading: a table for a list, a bullet list for a single value. @see GitHub Flavored Markdown */
export function renderMarkdown<T>(rendering: Rendering<T>): string {
  const { view, values, single, fields } = rendering;
  const table = view.table ?? view.tsv;
  const columns = columnsOf(rendering, single ? (view.detail ?? table) : table);
  const isFilled = ({ cells }: Column) => fields !== null || cells.some(({ text }) => text !== "");
  const filled = columns.filter(isFilled);
  if (values.length === 0 || filled.length === 0) return "";
  return single ? bulletList(filled) : tableOf(filled, values.length);
}

function tableOf(columns: readonly Column[], count: number): string {
  const rows = Array.from({ length: count }, (_, index) => columns.map(({ cells }) => lineOf(cells[index])));
  const lines = [columns.map(({ header }) => escapeMarkdown(header)), columns.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function bulletList(columns: readonly Column[]): string {
  return columns
    .map(({ header, cells: [cell], multiline }) => {
      const text = multiline ? linesOf(cell).join("\\\n  ") : lineOf(cell);
      return `- **${escapeMarkdown(header)}:** ${text}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
}

function lineOf(cell: Cell | undefined): string {
  return escapeMarkdown(sanitizeLine(cell?.text ?? "").trim());
}

/** The lines that have text. */
export function linesOf(cell: Cell | undefined): readonly string[] {
  const lines = sanitizeBlock(cell?.text ?? "")
    .replaceAll("\t", " ")
    .split("\n");
  return lines.map((line) => escapeMarkdown(line.trim())).filter((line) => line !== "");
}

/** What has a meaning inside a line; `://` and `www.` begin links, `$` formulas. */
const INLINE_MARKUP = /[\\`*_[\]<>|~&$]|:(?=\/\/)|(?<=www)\./gi;
/** What begins a heading, a list, a quotation or a rule. */
const BLOCK_MARKUP = /^(?:[#+=-]|\d+(?=[.)]))/;

/** Text that Markdown shows as it is: no markup, links or mentions. @param text one sanitized line */
export function escapeMarkdown(text: string): string {
  return text
    .replace(INLINE_MARKUP, "\\$&")
    .replace(BLOCK_MARKUP, (found) => (/\d/.test(found) ? `${found}\\` : `\\${found}`))
    .replace(/@|#(?=\d+(?![\dA-Za-z]))/g, `$&${ZERO_WIDTH_SPACE}`);
}
