import { createHash } from "node:crypto";
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

/** Revision and time as differences from the part before, in base 36, and an id or its beginning. */
const PART = /^(-?[\da-z]{1,11})\.(-?[\da-z]{1,11})\.([\w-]{1,64})$/;

/** @param list what the list is of: its path and parameters */
export function formatCursor({ earlier, ...last }: Cursor, list: readonly unknown[]): string {
  let before = { revision: 0, at: 0 };
  const beginnings = earlier.map((part) => ({ ...part, id: part.id.slice(0, ID_BEGINNING) }));
  const parts = [last, ...beginnings].map((part) => {
    const differences = [part.revision - before.revision, part.at - before.at];
    before = part;
    return [...differences.map((number) => number.toString(36)), part.id].join(".");
  });
  return Buffer.from([digest(list), ...parts].join(" ")).toString("base64url");
}

/** @throws ProblemError 400 for one that this version of the service did not make for this list */
export function parseCursor(text: string, list: readonly unknown[]): Cursor {
  const [listed, ...texts] = Buffer.from(text, "base64url").toString().split(" ");
  const [last, ...earlier] = parseParts(texts);
  if (listed !== digest(list) || last === undefined || earlier.length > MAX_EARLIER) {
    throw badRequest({ cursor: ["is not a cursor of this list; read it from the first page"] });
  }
  return { ...last, earlier };
}

/** Empty if one of them is invalid. */
function parseParts(texts: readonly string[]): readonly CursorPart[] {
  const parts: CursorPart[] = [];
  let { revision, at } = { revision: 0, at: 0 };
  for (const text of texts) {
    const [, revisions = "", time = "", id = ""] = PART.exec(text) ?? [];
    revision += Number.parseInt(revisions, 36);
    at += Number.parseInt(time, 36);
    if (!Number.isSafeInteger(revision) || !Number.isSafeInteger(at)) return [];
    parts.push({ revision, at, id });
  }
  return parts;
}

function digest(list: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, 12);
}
