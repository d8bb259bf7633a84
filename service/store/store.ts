import { CliError, configurationError } from "../../src/errors.js";
import type { LockWaitOptions, WorkOptions } from "../../src/system/sqlite/connection.js";
import { SCHEMA_VERSION, type SettingRow } from "./schema.js";
import type { Sql } from "./sql.js";

/** What keeps the rows. */
export type Engine = "sqlite" | "postgres";

/** What queries run on: one transaction of the store. */
export type Transaction = Sql;

export interface OpenStoreOptions extends LockWaitOptions {
  /** Whether to create a database that does not exist; true by default. */
  readonly create?: boolean | undefined;
  /** Whether to migrate a database of an earlier version; true by default. */
  readonly migrate?: boolean | undefined;
  /** Whether nothing is to be changed in it: it is neither created nor migrated. */
  readonly readOnly?: boolean | undefined;
  /** Whether a server uses it for long: more of it stays in memory. False by default. */
  readonly isServed?: boolean | undefined;
  /** Called when a newer program has migrated the database, so that this one cannot go on. */
  readonly onSuperseded?: ((error: CliError) => void) | undefined;
}

export interface ReadOptions {
  /** Whose read it is, such as `user ID`: on SQLite, the reads of a client come one after the other. */
  readonly client?: string | undefined;
  /** Whether it is work of an operator, which may take much longer than a request. SQLite has no limit anyway. */
  readonly isAdministration?: boolean;
  /** Whether it is one query, which SQLite takes for a transaction anyway. */
  readonly isOneQuery?: boolean;
}

export interface WriteOptions extends WorkOptions {
  /**
   * Names of what the transaction reads and then changes, such as `calendar ID`: of those with a name in common, one runs
   * after the other. Without it the transaction runs while no other one writes. SQLite has one writer at a time anyway.
   */
  readonly scope?: readonly string[] | undefined;
}

/**
 * The service's state. Every query runs inside a transaction. The work of a transaction may be repeated, so it must have no
 * effects but its queries; when it ends, even with an error, none of them may still be running. Rejects with
 * DatabaseUnavailableError while the database cannot be used.
 */
export interface Store {
  readonly engine: Engine;
  /** Runs queries that only read, on one snapshot. */
  read<T>(work: (db: Transaction) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** Runs queries as one transaction that holds the locks of its scope from its start. */
  write<T>(work: (db: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * @throws DatabaseUnavailableError when nothing can be written, though `read` goes on: the file was removed or replaced, the
   * server is read-only
   */
  requireWritable(): void | Promise<void>;
  /** What is wrong with its file; nothing if it is intact. Absent from a store that has no file. */
  readonly verifyFile?: (options: Pick<LongWorkOptions, "checkElsewhere">) => Promise<readonly string[]>;
  /** The database, as messages name it, if this process created it just now; null if it existed or is in memory. */
  readonly created: string | null;
  close(): Promise<void>;
}

/** How far long work on a database has come. */
export interface WorkProgress {
  /** What is done, such as `copying events`. */
  readonly what: string;
  readonly done: number;
  /** 0 if it is not known. */
  readonly total: number;
}

/** A store whose reads may take as long as the work of an operator does. */
export function forAdministration(store: Store): Store {
  return { ...store, read: (work) => store.read(work, { isAdministration: true }) };
}

export interface LongWorkOptions {
  readonly onProgress: (progress: WorkProgress) => void;
  /** Ends the work. */
  readonly signal: AbortSignal;
  /**
   * Finds what is wrong with an SQLite file, so that the signal can end it too; null if it cannot tell. By default, and then,
   * SQLite does it in this process, which cannot do anything meanwhile.
   */
  readonly checkElsewhere?: (path: string) => Promise<readonly string[] | null>;
}

/** Thrown while the database cannot be used: it is locked, its disk is full or cannot be written, its server is away. */
export class DatabaseUnavailableError extends CliError {}

/** The database was migrated by another version of this program, which only `service start` and writes put right. */
export function otherVersionError(database: string, version: number): CliError {
  return version > SCHEMA_VERSION
    ? configurationError(`the database ${database} was written by a newer calctl`, {
        hint: "update calctl, or choose another database",
      })
    : configurationError(`the database ${database} was written by an earlier calctl`, {
        hint: "make a backup, then start the service, which migrates the database",
      });
}

/**
 * The creation time to store for a new row: `now`, or the next millisecond that no row of the table has. Lists are
 * ordered by it, so rows created in the same millisecond keep their order.
 * @param now milliseconds since the epoch, like the result
 */
export async function creationTime(
  db: Transaction,
  table: "users" | "calendars" | "tokens" | "clients" | "feeds",
  now: number,
): Promise<number> {
  const rows = await db.all<{ readonly created_at: number }>(
    `select created_at from ${table} where created_at >= ? order by created_at`,
    now,
  );
  // Not after the newest row: a clock that was once ahead would push all later times into the future.
  return rows.reduce((time, { created_at }) => (created_at === time ? time + 1 : time), now);
}

/** A single value; undefined if it is not set. */
export async function readSetting(db: Transaction, name: SettingRow["name"]): Promise<string | undefined> {
  const [row] = await db.all<Pick<SettingRow, "value">>("select value from settings where name = ?", name);
  return row?.value;
}
