import { deflateRawSync, inflateRawSync } from "node:zlib";
import { DAY_MS } from "../../contract/date-time.js";
import { configurationError, usageError } from "../errors.js";
import { exclusively } from "./holders.js";
import type { State, StateTransaction } from "./state.js";

/** What is remembered under it: of all runs with a name, or of one of several readers that go on by themselves. */
export interface SeenName {
  readonly name: string;
  readonly reader?: string | undefined;
}

/** What the last run under a name has seen. */
export interface Seen {
  /** Counts how often something was remembered under the name. */
  readonly revision: number;
  /** Any JSON. */
  readonly seen: unknown;
}

/** What is remembered for the next run under a name. */
export interface Remembered extends SeenName {
  /** Any JSON. */
  readonly seen: unknown;
  /** Whether the message also has what messages under this name had whose outcome is unknown. */
  readonly coversUnknown?: boolean;
}

interface ReadSeenOptions {
  /** Whether what messages under the name had whose outcome is unknown counts as not seen. */
  readonly beforeUnknown?: boolean;
}

/** What earlier runs have seen. All reject with CliError configuration when the file of the state cannot be used. */
export interface SeenByName {
  /** Runs work while no other process works under the same name. @throws CliError unavailable when that takes too long */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Null for a new name. @throws CliError configuration if it is damaged */
  read(name: SeenName, options?: ReadSeenOptions): Promise<Seen | null>;
  /** Replaces what is remembered under a name, and forgets what is not delivered. @throws CliError usage when it is too large */
  saveSnapshot(remembered: Remembered): Promise<void>;
  /** What a run has found and not delivered to its end, as JSON; null if there is none. @throws CliError configuration if it is damaged */
  readUndelivered(name: SeenName): Promise<unknown>;
  /** Keeps it until something is remembered under the name. @throws CliError usage when it is too large */
  keepUndelivered(name: SeenName, found: unknown): Promise<void>;
}

/** What runs have seen, in the table `seen`. */
export function createSeenByName(state: State): SeenByName {
  const { write, clock } = state;
  const despiteInterrupt = { evenIfInterrupted: true };
  return {
    exclusively: (name, work) =>
      exclusively(state, { name: `seen ${name}`, doing: `working under the name "${name}"` }, work),
    read: (name, options) => readSeen(state, name, options),
    async saveSnapshot({ seen, coversUnknown, ...name }) {
      const content = encodeSeen(seen);
      await write((db) => writeSeen(db, { ...name, content, coversUnknown }, clock.now()), despiteInterrupt);
    },
    async readUndelivered(name) {
      const query = "select undelivered from seen where name = ? and reader = ?";
      const [row] = await state.read((db) => db.all(query, ...keyOf(name)));
      return row === undefined || row["undelivered"] === null
        ? null
        : decode(state, name, row["undelivered"]);
    },
    async keepUndelivered(name, found) {
      const undelivered = encodeSeen(found);
      await write(
        (db) =>
          db.run(
            `insert into seen (name, reader, revision, remembered_at, undelivered) values (?, ?, 0, ?, ?)
             on conflict (name, reader) do update set undelivered = excluded.undelivered`,
            ...keyOf(name),
            clock.now(),
            undelivered,
          ),
        despiteInterrupt,
      );
    },
  };
}

/** The primary key of a name. */
function keyOf({ name, reader = "" }: SeenName): readonly [string, string] {
  return [name, reader];
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

/** @throws CliError configuration */
function decode({ path }: State, { name }: SeenName, content: unknown): unknown {
  try {
    const bytes = inflateRawSync(content as Uint8Array, { maxOutputLength: MAX_SIZE });
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw configurationError(`the state named "${name}" in ${path} is damaged`, {
      hint: "choose another name",
      cause,
    });
  }
}

/** What had been seen before the oldest message under a name whose outcome is unknown. */
const BEFORE_UNKNOWN = `(select seen from sent where seen_name = name and seen_reader = reader and state = 'reported'
  and seen is not null order by began_at, sent.rowid limit 1)`;

async function readSeen(
  state: State,
  name: SeenName,
  { beforeUnknown = false }: ReadSeenOptions = {},
): Promise<Seen | null> {
  const column = beforeUnknown ? `coalesce(${BEFORE_UNKNOWN}, content)` : "content";
  const query = `select ${column} as content, revision from seen where name = ? and reader = ?`;
  const [row] = await state.read((db) => db.all(query, ...keyOf(name)));
  if (row === undefined || row["content"] === null) return null;
  return { seen: decode(state, name, row["content"]), revision: Number(row["revision"]) };
}

/** What the table has under a name; null if there is nothing. */
export function findSeen(db: StateTransaction, name: SeenName): Uint8Array | null {
  const [row] = db.all("select content from seen where name = ? and reader = ?", ...keyOf(name));
  return row === undefined ? null : (row["content"] as Uint8Array | null);
}

interface NewSeen extends SeenName {
  /** Of `encodeSeen`. */
  readonly content: Uint8Array;
  /** As in Remembered. */
  readonly coversUnknown?: boolean | undefined;
}

/** @param now milliseconds since the Unix epoch */
export function writeSeen(
  db: StateTransaction,
  { content, coversUnknown = false, ...name }: NewSeen,
  now: number,
): void {
  db.run(
    `insert into seen (name, reader, content, revision, remembered_at) values (?, ?, ?, 1, ?)
     on conflict (name, reader) do update set content = excluded.content, revision = revision + 1,
     remembered_at = excluded.remembered_at, undelivered = null`,
    ...keyOf(name),
    content,
    now,
  );
  // What else was to be remembered under the name is older.
  const older = coversUnknown ? "" : " and state <> 'reported'";
  db.run(`update sent set seen = null where seen_name = ? and seen_reader = ?${older}`, ...keyOf(name));
  db.run(
    `delete from seen where remembered_at < ?
      and (name, reader) not in (select name, reader from seen order by remembered_at desc limit ?)`,
    now - UNUSED_AFTER,
    ALWAYS_KEPT,
  );
}
