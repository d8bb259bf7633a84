import { createHash } from "node:crypto";
import * as v from "valibot";
import type { CursorPart } from "../store/event-moves.js";
import { badRequest } from "./response.js";

/** Where a page of a list ends. To clients it is one opaque word. */
export interface Cursor extends CursorPart {
  /** How far the list had been read at earlier revisions, in their order. */
  readonly earlier: readonly CursorPart[];
}

/** Earlier revisions that a cursor has, so that it fits into a URL: about 25 characters for each. */
export const MAX_EARLIER = 200;

/** So much of an id tells it from those of other items at the same time. */
const ID_BEGINNING = 8;

/** The cursor at the end of the next page. @param cursor that of the page before; null for the first page */
export function continueCursor(cursor: Cursor | null, end: CursorPart): Cursor {
  if (cursor === null) return { ...end, earlier: [] };
  const { earlier, ...last } = cursor;
  if (last.revision === end.revision) return { ...end, earlier };
  const [first, second, ...rest] = [...earlier, last];
  // Merges the two oldest parts, as if the second had been read at the first one's revision.
  const isFull = first !== undefined && second !== undefined && earlier.length === MAX_EARLIER;
  return {
    ...end,
    earlier: isFull ? [{ ...second, revision: first.revision }, ...rest] : [...earlier, last],
  };
}

const integer = v.pipe(v.number(), v.safeInteger());
const id = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/));
const PART = /^(-?[\da-z]{1,11})\.(-?[\da-z]{1,11})\.([\w-]{1,8})$/;
const earlierSchema = v.pipe(
  v.string(),
  v.transform((text) => (text === "" ? [] : text.split(" "))),
  v.array(v.pipe(v.string(), v.regex(PART))),
  v.maxLength(MAX_EARLIER),
);
const cursorSchema = v.strictTuple([v.string(), integer, integer, id, earlierSchema]);

/** @param list what the list is of: its path and parameters */
export function formatCursor({ revision, at, id, earlier }: Cursor, list: readonly unknown[]): string {
  const cursor = [digest(list), revision, at, id, formatParts(earlier)];
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** @throws ProblemError 400 for one that this version of the service did not make for this list */
export function parseCursor(text: string, list: readonly unknown[]): Cursor {
  const { success, output } = v.safeParse(cursorSchema, parseJson(text));
  if (!success || output[0] !== digest(list)) {
    throw badRequest({ cursor: ["is not a cursor of this list; read it from the first page"] });
  }
  const [, revision, at, id, earlier] = output;
  return { revision, at, id, earlier: parseParts(earlier) };
}

/** Each part after the first as its difference from the one before, which is short. */
function formatParts(parts: readonly CursorPart[]): string {
  let before = { revision: 0, at: 0 };
  const texts = parts.map((part) => {
    const differences = [part.revision - before.revision, part.at - before.at];
    before = part;
    return [...differences.map((number) => number.toString(36)), part.id.slice(0, ID_BEGINNING)].join(".");
  });
  return texts.join(" ");
}

function parseParts(texts: readonly string[]): readonly CursorPart[] {
  let before = { revision: 0, at: 0 };
  return texts.map((text) => {
    const [, revision = "", at = "", id = ""] = PART.exec(text) ?? [];
    const part = {
      revision: before.revision + Number.parseInt(revision, 36),
      at: before.at + Number.parseInt(at, 36),
      id,
    };
    before = part;
    return part;
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function digest(list: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, 12);
}
