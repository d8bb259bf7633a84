import { isJsonObject, locateJsonError } from "../../contract/json.js";
import { type EventInput, readEventInput } from "../calendar/event-input.js";
import { usageError } from "../errors.js";
import { shortenTexts } from "./content.js";
import { contentHash, type ReaderOptions, type ReadItems, readEntry, SHORTENED, SOURCE } from "./entry.js";

/** A value with its text and the line where it begins; the problem of one that is not JSON. */
interface Piece {
  readonly line: number;
  readonly text: string;
  readonly value: unknown;
  readonly problem?: string;
}

/** Reads events as `-o ndjson` prints them, and the list or the object of `-o json`. */
export async function readNdjson(text: string, options: ReaderOptions): Promise<ReadItems> {
  const { pieces, isComplete } = /^\s*(?:\[|\{\s*$)/m.test(firstLine(text))
    ? await splitDocument(text)
    : await splitLines(text);
  const items = pieces.map((piece) => {
    const fields = isJsonObject(piece.value) ? piece.value : {};
    const title = typeof fields["title"] === "string" ? fields["title"] : null;
    const known = piece.problem === undefined ? { identity: identityOf(fields, piece.text) } : {};
    return readEntry({ line: piece.line, text: piece.text, title, ...known }, options, (count) => {
      if (piece.problem !== undefined) throw usageError(piece.problem);
      const shortened = options.shorten ? shortenTexts(fields) : fields;
      if (shortened !== fields) count(SHORTENED);
      return readObject(isJsonObject(piece.value) ? shortened : piece.value, piece.text);
    });
  });
  return { items, isComplete, header: "", footer: "" };
}

function firstLine(text: string): string {
  return /\S.*/.exec(text)?.[0] ?? "";
}

function readObject(value: unknown, text: string) {
  const { series_id, ...fields } = isJsonObject(value) ? value : {};
  const { notes: _, ...content } = readEventInput(isJsonObject(value) ? fields : value, SOURCE);
  const { recurrences } = fields;
  const lines = Array.isArray(recurrences) ? recurrences.map(String) : [];
  return {
    identity: identityOf(fields, text),
    content: { ...content, notes: [] } satisfies EventInput,
    cancelled: false,
    // One occurrence of a series has the rule of all.
    recurrences: series_id === undefined || series_id === null ? lines : [],
  };
}

function identityOf({ id }: Readonly<Record<string, unknown>>, text: string): string {
  return typeof id === "string" && id !== "" ? id : contentHash(text);
}

interface Pieces {
  readonly pieces: readonly Piece[];
  readonly isComplete: boolean;
}

/** One value a line: a broken one does not spoil the others. */
async function splitLines(text: string): Promise<Pieces> {
  const lines = text.split("\n").map((line, index) => ({ text: line.trim(), line: index + 1 }));
  const pieces: Piece[] = [];
  for (const line of lines) if (line.text !== "") pieces.push(await parsePiece(line));
  return { pieces, isComplete: text.endsWith("\n") || pieces.at(-1)?.problem === undefined };
}

/** The items of a list, or one object, over several lines. */
async function splitDocument(text: string): Promise<Pieces> {
  const { createScanner } = await import("jsonc-parser");
  const scanner = createScanner(text, true);
  const outside = text.trimStart().startsWith("[") ? 1 : 0;
  const starts: { offset: number; line: number }[] = [];
  let depth = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const token = text[offset] ?? "";
    if (/[\]}]/.test(token)) depth -= 1;
    else if (depth === outside && token !== ",")
      starts.push({ offset, line: scanner.getTokenStartLine() + 1 });
    if (/[[{]/.test(token)) depth += 1;
  }
  const pieces: Piece[] = [];
  for (const [index, { offset, line }] of starts.entries()) {
    const piece = text.slice(offset, starts[index + 1]?.offset).trimEnd();
    const isLast = index === starts.length - 1;
    const end = isLast && outside === 1 && depth === 0 ? /\s*,?\s*\]$/ : /\s*,$/;
    pieces.push(await parsePiece({ text: piece.replace(end, ""), line }));
  }
  return { pieces, isComplete: depth === 0 };
}

async function parsePiece(place: { readonly text: string; readonly line: number }): Promise<Piece> {
  try {
    return { ...place, value: JSON.parse(place.text) };
  } catch {
    const { line, column } = await locateJsonError(place.text);
    const where = line === 1 ? `character ${column}` : `line ${place.line + line - 1}`;
    return { ...place, value: null, problem: `it is not JSON at ${where}` };
  }
}
