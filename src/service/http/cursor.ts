import { createHash } from "node:crypto";
import * as v from "valibot";
import { badRequest } from "./response.js";

/** Up to which item a list was read while its calendar had a revision. */
export interface CursorPart {
  readonly revision: number;
  /** The time by which the list is ordered, and the id, of the item that was visited last. */
  readonly at: number;
  readonly id: string;
}

/** Where a page of a list ends. To clients it is one opaque word. */
export interface Cursor extends CursorPart {
  /** How far the list had been read at earlier revisions, in their order. */
  readonly earlier: readonly CursorPart[];
}

/** Earlier revisions that a cursor has, so that it fits into a URL. */
const MAX_EARLIER = 8;

/** The cursor at the end of the next page. @param cursor that of the page before; null for the first page */
export function continueCursor(cursor: Cursor | null, end: CursorPart): Cursor {
  if (cursor === null) return { ...end, earlier: [] };
  const { earlier, ...last } = cursor;
  if (last.revision === end.revision) return { ...end, earlier };
  const [first, second, ...rest] = [...earlier, last];
  // As if the second of these parts had been read at once with the first one.
  const isFull = first !== undefined && second !== undefined && earlier.length === MAX_EARLIER;
  return {
    ...end,
    earlier: isFull ? [{ ...second, revision: first.revision }, ...rest] : [...earlier, last],
  };
}

const integer = v.pipe(v.number(), v.safeInteger());
const id = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/));
const partSchema = v.strictTuple([integer, integer, id]);
const cursorSchema = v.strictTuple([
  v.string(),
  partSchema,
  v.pipe(v.array(partSchema), v.maxLength(MAX_EARLIER)),
]);

/** @param list what the list is of: its path and parameters */
export function formatCursor({ earlier, ...last }: Cursor, list: readonly unknown[]): string {
  const cursor = [digest(list), formatPart(last), earlier.map(formatPart)];
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** @throws ProblemError 400 for one that this version of the service did not make for this list */
export function parseCursor(text: string, list: readonly unknown[]): Cursor {
  const { success, output } = v.safeParse(cursorSchema, parseJson(text));
  if (!success || output[0] !== digest(list)) {
    throw badRequest({ cursor: ["is not a cursor of this list; read it from the first page"] });
  }
  const [, last, earlier] = output;
  return { ...parsePart(last), earlier: earlier.map(parsePart) };
}

type PartTuple = v.InferOutput<typeof partSchema>;

function formatPart({ revision, at, id }: CursorPart): PartTuple {
  return [revision, at, id];
}

function parsePart([revision, at, id]: PartTuple): CursorPart {
  return { revision, at, id };
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
