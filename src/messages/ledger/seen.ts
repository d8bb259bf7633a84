import { deflateRawSync, inflateRawSync } from "node:zlib";
import { DAY_MS } from "../../../contract/date-time.js";
import { configurationError, usageError } from "../../errors.js";
import type { LedgerDatabase, LedgerTransaction } from "./database.js";

/** What the last run under a name has seen. */
export interface Seen {
  /** Counts how often something was remembered under the name. */
  readonly revision: number;
  /** Any JSON. */
  readonly seen: unknown;
}

/** Largest size of what is remembered under a name, as JSON in bytes: a service sends no more in one response. */
const MAX_SIZE = 64 * 1024 * 1024;

/** Names that were not used for this long (ms) are forgotten, but not the latest ones: a clock may be wrong for a while. */
const UNUSED_AFTER = 400 * DAY_MS;
const ALWAYS_KEPT = 100;

/** @throws CliError usage when it is too large */
export function encodeSeen(seen: unknown): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(seen), "utf8");
  if (bytes.length > MAX_SIZE)
    throw usageError("these are too many events to remember", "choose fewer calendars, or fewer days");
  return deflateRawSync(bytes);
}

export interface SeenOptions {
  /** Whether what messages under the name had whose outcome is unknown counts as not seen. */
  readonly beforeUnknown?: boolean;
}

/** What had been seen before the oldest message under a name whose outcome is unknown. */
const BEFORE_UNKNOWN = `(select seen from sends where seen_name = name and state = 'reported' and seen is not null
  order by began_at, sends.rowid limit 1)`;

/** Null for a name that is not known. @throws CliError configuration when it cannot be read */
export async function readSeen(
  { read, path }: LedgerDatabase,
  name: string,
  { beforeUnknown = false }: SeenOptions = {},
): Promise<Seen | null> {
  const column = beforeUnknown ? `coalesce(${BEFORE_UNKNOWN}, content)` : "content";
  const query = `select ${column} as content, revision from seen where name = ?`;
  const [row] = await read((db) => db.all(query, name));
  if (row === undefined) return null;
  const { content, revision } = row;
  try {
    const bytes = inflateRawSync(content as Uint8Array, { maxOutputLength: MAX_SIZE });
    return { seen: JSON.parse(bytes.toString("utf8")), revision: Number(revision) };
  } catch (cause) {
    throw configurationError(`the state named "${name}" in the ledger ${path} is damaged`, {
      hint: "choose another name",
      cause,
    });
  }
}

/** What the table has under a name; null if there is nothing. */
export function findSeen(db: LedgerTransaction, name: string): Uint8Array | null {
  const [row] = db.all("select content from seen where name = ?", name);
  return row === undefined ? null : (row["content"] as Uint8Array);
}

interface NewSeen {
  readonly name: string;
  /** Of `encodeSeen`. */
  readonly content: Uint8Array;
  /** As in Remembered. */
  readonly coversUnknown?: boolean | undefined;
}

/** @param now milliseconds since the Unix epoch */
export function writeSeen(
  db: LedgerTransaction,
  { name, content, coversUnknown = false }: NewSeen,
  now: number,
): void {
  db.run(
    `insert into seen (name, content, revision, remembered_at) values (?, ?, 1, ?)
     on conflict (name) do update set content = excluded.content, revision = revision + 1,
     remembered_at = excluded.remembered_at`,
    name,
    content,
    now,
  );
  // What else was to be remembered under the name is older.
  const older = coversUnknown ? "" : " and state <> 'reported'";
  db.run(`update sends set seen = null where seen_name = ?${older}`, name);
  db.run(
    `delete from seen where remembered_at < ?
      and name not in (select name from seen order by remembered_at desc limit ?)`,
    now - UNUSED_AFTER,
    ALWAYS_KEPT,
  );
}
