import { closeSync, fchmodSync, fstatSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Kysely, type SqliteDatabase, sql } from "kysely";
import { CliError, configurationError, errorCodeOf } from "../../../errors.js";
import { makePrivateFolder } from "../../../system/private-file.js";
import { APPLICATION_ID, SCHEMA_VERSION, type StoreSchema } from "../schema.js";
import { connect, createDialect } from "./dialect.js";
import { explainFileError, missing } from "./errors.js";

/** What queries run on: the store itself or one transaction of it. */
export type Queries = Kysely<StoreSchema>;

export interface Store {
  /** Runs work that only reads, on one snapshot. */
  read<T>(work: (db: Queries) => Promise<T>): Promise<T>;
  /** Runs work as one transaction that holds the write lock from its beginning. */
  write<T>(work: (db: Queries) => Promise<T>): Promise<T>;
  /** Path of the database when this opening has made it; null when it was there or is in memory. */
  readonly created: string | null;
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  /** Whether a database that is not there is made; true by default. */
  readonly create?: boolean | undefined;
}

const MEMORY = ":memory:";

/**
 * Opens the database, making it (mode 0600, a new folder 0700) or bringing it up to date where needed. Any number of
 * processes may do so at the same moment.
 * @param path of the SQLite file, or `:memory:`
 * @throws CliError configuration when the file is not ours, damaged, newer than this program or cannot be opened, or is
 * not there and not to be made
 */
export async function openStore(path: string, { create = true }: OpenStoreOptions = {}): Promise<Store> {
  const file = path === MEMORY ? MEMORY : resolve(path);
  if (file !== MEMORY) ensureFile(file, create);
  const database = connect(file);
  const db = new Kysely<StoreSchema>({ dialect: createDialect(database) });
  let created: boolean;
  try {
    created = await bringUpToDate(db, database, { file, create });
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    read: (work) => db.transaction().setAccessMode("read only").execute(work),
    write: (work) => db.transaction().execute(work),
    created: created && file !== MEMORY ? file : null,
    close: async () => {
      try {
        // What is written is in the one file then, for whoever copies it.
        if (file !== MEMORY) pragma(database, "wal_checkpoint(passive)");
      } finally {
        await db.destroy();
        // Kysely leaves a connection alone that no query has used.
        database.close();
      }
    },
  };
}

/** SQLite would make the file readable for all; its journal takes the mode of the file. */
function ensureFile(file: string, create: boolean): void {
  try {
    if (create) makePrivateFolder(dirname(file));
    const handle = openSync(file, create ? "a" : "r+", 0o600);
    try {
      const { size, mode } = fstatSync(handle);
      if (create && size === 0 && (mode & 0o077) !== 0) fchmodSync(handle, 0o600);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw !create && errorCodeOf(error) === "ENOENT" ? missing(file) : explainFileError(error, file);
  }
}

/** Resolves with whether there was nothing yet. */
async function bringUpToDate(
  db: Queries,
  database: SqliteDatabase,
  { file, create }: { readonly file: string; readonly create: boolean },
): Promise<boolean> {
  let version = SCHEMA_VERSION;
  const current = pragma(database, "user_version") === SCHEMA_VERSION;
  if (!current || pragma(database, "application_id") !== APPLICATION_ID) {
    const { MIGRATIONS } = await import("../migrations.js");
    await db.transaction().execute(async (transaction) => {
      // Judged under the lock: another process may be making the same database.
      version = schemaVersion(database, file);
      if (version === 0 && !create) throw missing(file);
      for (const migrate of MIGRATIONS.slice(version)) await migrate(transaction.schema);
      await sql`pragma application_id = ${sql.lit(APPLICATION_ID)}`.execute(transaction);
      await sql`pragma user_version = ${sql.lit(SCHEMA_VERSION)}`.execute(transaction);
    });
  }
  if (file !== MEMORY) writeAheadIfFree(database);
  return version === 0;
}

/**
 * The schema's version of this database, 0 for an empty one. The write lock must be held.
 * @throws CliError configuration when another program made the file or a newer version of this one
 */
function schemaVersion(database: SqliteDatabase, file: string): number {
  const version = Number(pragma(database, "user_version"));
  const application = pragma(database, "application_id");
  // What was cut off within its first page reads like an empty database, so the size must agree.
  const empty = application === 0 && version === 0 && (file === MEMORY || statSync(file).size === 0);
  if (!empty && application !== APPLICATION_ID) {
    throw configurationError(`${file} is not a database of calctl`, { hint: "name another file" });
  }
  if (version > SCHEMA_VERSION) {
    throw configurationError(`the database ${file} was written by a newer calctl`, {
      hint: "update calctl, or name another file",
    });
  }
  return version;
}

/**
 * Readers and the writer do not wait for each other with a write-ahead log. The switch needs the file for itself; where
 * another process is at work the database is as safe without, and the next one to open it tries again.
 */
function writeAheadIfFree(database: SqliteDatabase): void {
  if (pragma(database, "journal_mode") === "wal") return;
  try {
    pragma(database, "journal_mode = wal");
  } catch (error) {
    if (!(error instanceof CliError && error.code === "unavailable")) throw error;
  }
}

function pragma(database: SqliteDatabase, text: string): unknown {
  const [row] = database.prepare(`pragma ${text}`).all([]);
  return typeof row === "object" && row !== null ? Object.values(row)[0] : undefined;
}
