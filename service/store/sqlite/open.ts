import { closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Dialect, Kysely, type SqliteDatabase, SqliteDialect, sql } from "kysely";
import { errorCodeOf } from "../../../src/errors.js";
import {
  connect,
  createRunUnlocked,
  isOnReadOnlyDisk,
  MEMORY,
  type RunUnlocked,
} from "../../../src/system/sqlite/connection.js";
import { createDatabaseFile, requireFileOrNothing } from "../../../src/system/sqlite/database-file.js";
import { loadSqlite } from "../../../src/system/sqlite/driver.js";
import { checkFile } from "../../../src/system/sqlite/file-check.js";
import type { DirectAdapter } from "../compiled-query.js";
import { SCHEMA_VERSION, type StoreSchema } from "../schema.js";
import {
  DatabaseUnavailableError,
  type OpenStoreOptions,
  otherVersionError,
  type Store,
  type Transaction,
} from "../store.js";
import {
  explainDatabaseError,
  explainFileError,
  foreignDatabaseError,
  missingDatabaseError,
  readOnlyDiskError,
  replacedDatabaseError,
} from "./errors.js";
import { createTransactions } from "./transactions.js";

/** Marks a database file as ours in its `application_id`: "calc" in ASCII. */
export const APPLICATION_ID = 0x63616c63;

/**
 * Opens a database, creates it (mode 0600, a new folder 0700) or migrates it. Several processes may do so at once.
 * Nothing is written if it needs neither.
 * @param path of the SQLite file, or `:memory:`
 * @throws CliError configuration when the file is not ours, damaged, newer than this program, cannot be opened, or does
 * not exist and must not be created; unavailable when another process locks it for too long
 */
export async function openStore(path: string, options: OpenStoreOptions = {}): Promise<Store> {
  const { create = true, readOnly = false } = options;
  const file = path === MEMORY ? MEMORY : resolve(path);
  if (file !== MEMORY) ensureFile(file, { create: create && !readOnly, readOnly });
  const run = createRunUnlocked((error) => explainDatabaseError(error, file), options);
  const sqlite = await loadSqlite();
  const database = await run(() => connect(sqlite, file));
  const requireSameFile = () => {
    if (!database.isCurrentFile()) throw replacedDatabaseError(file);
  };
  const db: Transaction = new Kysely<StoreSchema>({ dialect: createDialect(database) });
  const transactions = createTransactions({ connection: database, db, run, requireSameFile });
  let created: boolean;
  try {
    if (readOnly) await run(() => requireCurrent(database, file));
    created = !readOnly && (await migrateIfNeeded(transactions, database, { ...options, file, create, run }));
    if (file !== MEMORY && !readOnly) await enableWriteAheadLog(database, run);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    ...transactions,
    engine: "sqlite",
    requireWritable() {
      requireSameFile();
      if (file !== MEMORY && isOnReadOnlyDisk(file)) throw readOnlyDiskError(file);
    },
    verifyFile: async ({ checkElsewhere }) =>
      (await checkElsewhere?.(file)) ?? (await run(() => checkFile(database))),
    created: created && file !== MEMORY ? file : null,
    close: async () => {
      try {
        // Moves everything from the log into the file, which can then be copied on its own.
        if (file !== MEMORY && !readOnly)
          await unlessUnavailable(run(() => pragma(database, "wal_checkpoint(passive)")));
      } finally {
        // Kysely would not close a connection that no query has used.
        database.close();
      }
    },
  };
}

/** Kysely's dialect, whose statements can also be run directly. */
function createDialect(database: SqliteDatabase): Dialect {
  const dialect = new SqliteDialect({ database });
  const direct = {
    runDirectly(text: string, parameters: readonly unknown[]): unknown[] {
      const statement = database.prepare(text);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    },
  };
  return {
    createAdapter: (): DirectAdapter => Object.assign(dialect.createAdapter(), direct),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/** @throws CliError configuration when the file is missing and must not be created, or cannot be opened */
export function ensureFile(file: string, { create = false, readOnly = false }): void {
  try {
    if (create) {
      createDatabaseFile(file);
      return;
    }
    requireFileOrNothing(file);
    closeSync(openSync(file, readOnly ? "r" : "r+"));
  } catch (error) {
    if (isOnReadOnlyDisk(file)) return;
    throw !create && errorCodeOf(error) === "ENOENT"
      ? missingDatabaseError(file)
      : explainFileError(error, file);
  }
}

interface Migrating extends Pick<OpenStoreOptions, "migrate"> {
  readonly file: string;
  readonly create: boolean;
  readonly run: RunUnlocked;
}

/** Migrates the database if needed. Resolves with whether it was empty. */
async function migrateIfNeeded(
  store: Pick<Store, "write">,
  database: SqliteDatabase,
  { file, create, migrate: isAllowed = true, run }: Migrating,
): Promise<boolean> {
  const isOurs = (await run(() => pragma(database, "application_id"))) === APPLICATION_ID;
  if (isOurs && (await run(() => pragma(database, "user_version"))) === SCHEMA_VERSION) return false;
  const { migrate } = await import("../migrations.js");
  const found = await migrate(store, {
    database: file,
    version: {
      engine: "sqlite",
      async read() {
        const version = readVersion(database, file);
        if (version === 0 && !create) throw missingDatabaseError(file);
        // Another process may just have created it.
        const isOther = version !== 0 && version !== SCHEMA_VERSION;
        if (isOther && !isAllowed) throw otherVersionError(file, version);
        return version;
      },
      async write(db, version) {
        await sql`pragma application_id = ${sql.lit(APPLICATION_ID)}`.execute(db);
        await sql`pragma user_version = ${sql.lit(version)}`.execute(db);
      },
    },
  });
  return found === 0;
}

/** @throws CliError configuration when the database was not migrated by this version */
function requireCurrent(database: SqliteDatabase, file: string): void {
  const version = readVersion(database, file);
  if (version === 0) throw missingDatabaseError(file);
  if (version !== SCHEMA_VERSION) throw otherVersionError(file, version);
}

/** 0 for an empty database. Call it with the write lock held. @throws CliError configuration */
function readVersion(database: SqliteDatabase, file: string): number {
  const version = Number(pragma(database, "user_version"));
  const application = pragma(database, "application_id");
  // A file that was truncated inside its first page reads like an empty database, so its size must be 0 too.
  const empty = application === 0 && version === 0 && (file === MEMORY || statSync(file).size === 0);
  if (!empty && application !== APPLICATION_ID) throw foreignDatabaseError(file);
  return version;
}

/** How long to wait for other processes before the journal is switched (ms); the next one to open it tries again. */
const SWITCH_TIMEOUT = 1_000;

/** With a write-ahead log, readers and the writer do not block each other. Switching needs exclusive access. */
async function enableWriteAheadLog(database: SqliteDatabase, run: RunUnlocked): Promise<void> {
  if ((await run(() => pragma(database, "journal_mode"))) === "wal") return;
  await unlessUnavailable(run(() => pragma(database, "journal_mode = wal"), { timeout: SWITCH_TIMEOUT }));
  // Opens the log: another process that ends now would delete it, and on a full disk it could not be created again.
  await run(() => pragma(database, "schema_version"));
}

async function unlessUnavailable(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
  }
}

/** The first value of the answer to a pragma. */
export function pragma(database: SqliteDatabase, text: string): unknown {
  const [row] = database.prepare(`pragma ${text}`).all([]);
  return typeof row === "object" && row !== null ? Object.values(row)[0] : undefined;
}
