import { isTimeZone } from "../../../contract/date-time.js";
import { describeJsonError, isJsonObject, locateJsonError, parseJson } from "../../../contract/json.js";
import { CliError, usageError } from "../../errors.js";
import { readEventInput } from "../../events/json.js";
import { parseTimeZone } from "../../time/dates.js";
import {
  checkDates,
  ENTRY,
  hashText,
  type ImportItem,
  type ReaderOptions,
  type ReadItems,
  readEntry,
} from "./entry.js";

/** The text of a value, and the line where it begins. */
interface Place {
  readonly line: number;
  readonly text: string;
}

/** With the value, or the problem of one that is not JSON. */
interface Piece extends Place {
  readonly value: unknown;
  readonly problem: string | null;
}

/** Reads events as `-o ndjson` prints them, and the list or the object of `-o json`. */
export async function readNdjson(text: string, options: ReaderOptions): Promise<ReadItems> {
  const isDocument = /^\s*(?:\[|\{\s*$)/m.test(/\S.*/.exec(text)?.[0] ?? "");
  const places = isDocument ? await splitDocument(text) : splitLines(text);
  const items: ImportItem[] = [];
  // One after the other, so that the values of a large file are not in memory at once.
  for (const place of places) {
    const value = parseJson(place.text);
    const problem = value === undefined ? await problemOf(place) : null;
    items.push(readPiece({ value, problem, ...place }, options));
  }
  // Without a line end, lines may be missing, even after a whole one.
  const isComplete = isDocument || text.endsWith("\n");
  return { items, isComplete, header: "", footer: "" };
}

function readPiece({ line, text, value, problem }: Piece, options: ReaderOptions): ImportItem {
  const fields = isJsonObject(value) ? value : {};
  const { id } = fields;
  const title = typeof fields["title"] === "string" ? fields["title"] : null;
  const identity = typeof id === "string" && id !== "" ? id : hashText(text);
  const place = { line, text, title, identity: problem === null ? identity : undefined };
  return readEntry(place, options, (count) => {
    if (problem !== null) throw usageError(problem);
    const { patch, notes } = readEventInput(value, ENTRY, readFileZone);
    checkDates(patch.recurrences ?? []);
    if (notes.length > 0) count("of a series imported as single ones, without its rule");
    return { identity, patch, cancelled: false };
  });
}

/** A zone of a file may also be a name without an area, as other programs write it. */
function readFileZone(name: string, source: string): string {
  return isTimeZone(name) ? name : parseTimeZone(name, source);
}

/** One value a line: a broken one does not spoil the others. */
function splitLines(text: string): readonly Place[] {
  const places = text.split("\n").map((line, index) => ({ text: line.trim(), line: index + 1 }));
  return places.filter((place) => place.text !== "");
}

/** The items of a list, or one object, over several lines. @throws CliError rejected for what is not JSON */
async function splitDocument(text: string): Promise<readonly Place[]> {
  const value = parseJson(text);
  if (value === undefined)
    throw new CliError("rejected", `the file is not JSON: ${await describeJsonError(text)}`);
  const { createScanner } = await import("jsonc-parser");
  const scanner = createScanner(text, true);
  const outside = Array.isArray(value) ? 1 : 0;
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
  const end = outside === 1 ? text.lastIndexOf("]") : text.length;
  return starts.map(({ offset, line }, index) => {
    const item = text.slice(offset, starts[index + 1]?.offset ?? end).replace(/,\s*$/, "");
    // One line, as a file of rejected ones has it.
    const lines = item.split("\n").map((each) => each.trim());
    return { line, text: lines.join("") };
  });
}

async function problemOf(place: Place): Promise<string> {
  const { line, column } = await locateJsonError(place.text);
  return `it is not JSON at ${line === 1 ? `character ${column}` : `line ${place.line + line - 1}`}`;
}
