import { closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errorCodeOf } from "../../../src/errors.js";
import { isOnReadOnlyDisk } from "../../../src/system/ownership.js";
import { type Connection, connect, MEMORY } from "../../../src/system/sqlite/connection.js";
import { createDatabaseFile, requireFileOrNothing } from "../../../src/system/sqlite/database-file.js";
import type { Database } from "../../../src/system/sqlite/driver.js";
import { checkFile } from "../../../src/system/sqlite/file-check.js";
import { explainDatabaseError, type OpenDatabase, openDatabaseOf } from "../../../src/system/sqlite/open.js";
import { SCHEMA_VERSION } from "../schema.js";
import type { SqlValue } from "../sql.js";
import {
  DatabaseUnavailableError,
  type OpenStoreOptions,
  otherVersionError,
  type Store,
  type Transaction,
} from "../store.js";
import { CALENDARS, missingDatabaseError, readOnlyDiskError } from "./errors.js";
import { createTransactions, type Opened, type Readers } from "./transactions.js";

/**
 * Size of the page cache of each connection for reads of a database that is served (KiB): its pages are read again and again, and
 * reading one from the system takes as long as finding several events in it.
 */
const SERVED_PAGE_CACHE = 8_192;

/** Connections for reads of a database that is served. */
const READERS = 6;

/**
 * Sizes of the log of a database that is served (bytes). SQLite moves it into the file in commits, and cuts it to `usual` when it
 * begins the log anew, which it cannot while reads still need it; from `longest` on, writes wait for them.
 */
const LOG = { usual: 4 * 1024 * 1024, longest: 64 * 1024 * 1024 };

/**
 * Opens a database, creates it (mode 0600, a new folder 0700) or migrates it. Several processes may do so at once.
 * Nothing is written if it needs neither.
 * @param path of the SQLite file, or `:memory:`
 * @throws CliError configuration when the file is not ours, damaged, newer than this program, cannot be opened, or does
 * not exist and must not be created; unavailable when another process locks it for too long
 */
export async function openStore(path: string, options: OpenStoreOptions = {}): Promise<Store> {
  const { create = true, readOnly = false, isServed = false } = options;
  const file = path === MEMORY ? MEMORY : resolve(path);
  if (file !== MEMORY) ensureFile(file, { create: create && !readOnly, readOnly });
  const opened = await openDatabaseOf(CALENDARS, file, options);
  const { connection, run, requireSameFile } = opened;
  const writer = { connection, db: queriesOn(connection) };
  let readers: ServedReaders | undefined;
  const close = () => {
    // The one that writes is the last: SQLite then removes the log.
    readers?.close();
    connection.close();
  };
  let created: boolean;
  try {
    if (readOnly) await run(() => requireCurrent(opened));
    created =
      !readOnly &&
      (await migrateIfNeeded(createTransactions(opened, writer), opened, { ...options, create }));
    const hasLog = file !== MEMORY && !readOnly && (await enableWriteAheadLog(opened));
    // Without the log readers and the writer block each other, and a database in memory has only the one connection.
    if (isServed && hasLog && !connection.isReadOnly())
      readers = await run(() => openReaders(file, connection));
  } catch (error) {
    close();
    throw error;
  }
  return {
    ...createTransactions(opened, writer, readers),
    engine: "sqlite",
    requireWritable() {
      requireSameFile();
      if (file !== MEMORY && isOnReadOnlyDisk(file)) throw readOnlyDiskError(file);
    },
    verifyFile: async ({ checkElsewhere }) =>
      (await checkElsewhere?.(file)) ?? (await run(() => checkFile(connection))),
    created: created && file !== MEMORY ? file : null,
    close: async () => {
      try {
        // Moves everything from the log into the file, which can then be copied on its own.
        if (file !== MEMORY && !readOnly)
          await unlessUnavailable(run(() => connection.pragma("wal_checkpoint(passive)")));
      } finally {
        close();
      }
    },
  };
}

interface ServedReaders extends Readers {
  readonly close: () => void;
}

async function openReaders(file: string, writer: Connection): Promise<ServedReaders> {
  const free: Opened[] = [];
  while (free.length < READERS) free.push(await openReader(file));
  const all = [...free];
  const waiting: ((reader: Opened) => void)[] = [];
  writer.pragma(`journal_size_limit = ${LOG.usual}`);
  return {
    async use(work) {
      const reader = free.pop() ?? (await new Promise<Opened>((resolve) => waiting.push(resolve)));
      try {
        return await work(reader);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(reader);
        else next(reader);
      }
    },
    async beforeWrites(endOfReads) {
      if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) < LOG.longest) return;
      // Of the reads that began before the last commit; then of those that began before everything was in the file.
      await endOfReads();
      writer.pragma("wal_checkpoint(passive)");
      await endOfReads();
    },
    close() {
      for (const { connection } of all) connection.close();
    },
  };
}

async function openReader(file: string): Promise<Opened> {
  const connection = await connect(file);
  connection.pragma(`cache_size = -${SERVED_PAGE_CACHE}`);
  connection.pragma("query_only = on");
  return { connection, db: queriesOn(connection) };
}

/** Queries on a connection, in whatever transaction it is. */
export function queriesOn(connection: Pick<Database, "prepare">): Transaction {
  return {
    // Every query names its columns, and a row of the driver is an object.
    all: async <R>(text: string, ...values: readonly SqlValue[]) =>
      connection.prepare(text).all(values) as R[],
    run: async (text, ...values) => Number(connection.prepare(text).run(values).changes),
    jsonArray: "json_array",
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
      : explainDatabaseError(error, file, CALENDARS);
  }
}

/** Migrates the database if needed. Resolves with whether it was empty. */
async function migrateIfNeeded(
  store: Pick<Store, "write">,
  { file, run, isCurrent, readVersion, writeVersion }: OpenDatabase,
  { create, migrate: isAllowed = true }: OpenStoreOptions,
): Promise<boolean> {
  if (await run(isCurrent)) return false;
  const { migrate } = await import("../migrations.js");
  const found = await migrate(store, {
    database: file,
    version: {
      engine: "sqlite",
      async read() {
        const version = readVersion();
        if (version === 0 && create === false) throw missingDatabaseError(file);
        // Another process may just have created it.
        const isOther = version !== 0 && version !== SCHEMA_VERSION;
        if (isOther && !isAllowed) throw otherVersionError(file, version);
        return version;
      },
      async write() {
        writeVersion();
      },
    },
  });
  return found === 0;
}

/** @throws CliError configuration when the database was not migrated by this version */
function requireCurrent({ file, readVersion }: OpenDatabase): void {
  const version = readVersion();
  if (version === 0) throw missingDatabaseError(file);
  if (version !== SCHEMA_VERSION) throw otherVersionError(file, version);
}

/** How long to wait for other processes before the journal is switched (ms); the next one to open it tries again. */
const SWITCH_TIMEOUT = 1_000;

/**
 * With a write-ahead log, readers and the writer do not block each other. Switching needs exclusive access. Resolves with whether
 * the database has one.
 */
async function enableWriteAheadLog({ connection, run }: OpenDatabase): Promise<boolean> {
  const hasLog = () => run(() => connection.pragma("journal_mode") === "wal");
  if (await hasLog()) return true;
  await unlessUnavailable(run(() => connection.pragma("journal_mode = wal"), { timeout: SWITCH_TIMEOUT }));
  // Opens the log: another process that ends now would delete it, and on a full disk it could not be created again.
  await run(() => connection.pragma("schema_version"));
  return hasLog();
}

async function unlessUnavailable(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
  }
}
