import { createHash } from "node:crypto";
import * as v from "valibot";
import { DAY_MS } from "../../contract/date-time.js";
import { badRequest } from "./response.js";

/** Where a page of a list ends. To clients it is one opaque word. */
export interface Cursor {
  /** When the first page was read: milliseconds since the epoch. */
  readonly since: number;
  /** The time by which the list is ordered, and the id, of the item that was visited last. */
  readonly at: number;
  readonly id: string;
}

/** How long a list may be read after its first page (ms). */
export const CURSOR_LIFETIME = DAY_MS;

const time = v.pipe(v.number(), v.safeInteger());
const id = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/));
const cursorSchema = v.strictTuple([v.string(), time, time, id]);

/** @param list what the list is of: its path and parameters */
export function formatCursor({ since, at, id }: Cursor, list: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([digest(list), since, at, id])).toString("base64url");
}

/** @throws ProblemError 400 for one that the service did not make for this list, or too long ago */
export function parseCursor(text: string, list: readonly unknown[], now: number): Cursor {
  const { success, output } = v.safeParse(cursorSchema, parseJson(text));
  if (!success || output[0] !== digest(list)) {
    throw badRequest({ cursor: ["is not a cursor of this list; read it from the first page"] });
  }
  const [, since, at, id] = output;
  if (since < now - CURSOR_LIFETIME) {
    throw badRequest({ cursor: ["has expired; read the list from the first page"] });
  }
  return { since, at, id };
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
