import { randomBytes } from "node:crypto";
import { constants, copyFileSync, linkSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { CliError, configurationError, errorCodeOf } from "../../errors.js";
import type { LockWaitOptions } from "../../system/sqlite/connection.js";
import { createDatabaseFile, requireFileOrNothing } from "../../system/sqlite/database-file.js";
import {
  type DatabaseKind,
  explainDatabaseError,
  type OpenDatabase,
  openDatabaseOf,
} from "../../system/sqlite/open.js";
import { MIGRATIONS } from "./schema.js";

/** A value of a column. Integers are below 2^53. */
type SqlValue = string | number | Uint8Array | null;

/** Statements of one transaction. */
export interface LedgerTransaction {
  all(sql: string, ...values: readonly SqlValue[]): readonly Readonly<Record<string, unknown>>[];
  run(sql: string, ...values: readonly SqlValue[]): void;
}

/** The open file of a ledger. */
export interface LedgerDatabase {
  readonly path: string;
  /** @throws CliError configuration, unavailable; the reason of an interruption */
  read<T>(work: (db: LedgerTransaction) => T): Promise<T>;
  /**
   * Runs work that is on the disk when it resolves. It may be repeated while other processes use the file, so it must have
   * no effects but its statements.
   * @throws CliError configuration, unavailable; the reason of an interruption
   */
  write<T>(work: (db: LedgerTransaction) => T): Promise<T>;
  /** The same for what must be written, even if the run was interrupted meanwhile. */
  note(work: (db: LedgerTransaction) => void): Promise<void>;
  close(): void;
}

const MOVE_AWAY = "move it away to start with a new one; what was sent before may then be sent again";
const CHOOSE_ANOTHER = "set CALCTL_STATE_DIR to another folder";

/** The files of ledgers. */
const LEDGER: DatabaseKind = {
  noun: "ledger",
  // "calg" in ASCII.
  applicationId: 0x63616c67,
  version: MIGRATIONS.length,
  whenDamaged: MOVE_AWAY,
  chooseAnother: CHOOSE_ANOTHER,
  whenReplaced: { problem: "while calctl used it", hint: "run the command again" },
  Unavailable: CliError,
};

/** How long to wait for the lock to note what was sent (ms): other processes hold it for milliseconds. */
const NOTE_TIMEOUT = 60_000;

/**
 * Opens the file of a ledger, creates it (0600, a new folder 0700) or migrates it.
 * @throws CliError configuration when the file is not ours, damaged, newer than this program or cannot be written
 */
export async function openLedgerDatabase(path: string, options: LockWaitOptions): Promise<LedgerDatabase> {
  const file = resolve(path);
  await createIfMissing(file, options);
  const ledger = await openDatabaseOf(LEDGER, file, options);
  const { connection, run } = ledger;
  try {
    // With `full` alone, the end of a transaction could be lost in a power failure: its folder is not synced.
    await run(() => connection.pragma("synchronous = extra"));
    if (!(await run(ledger.isCurrent))) await run(() => inTransaction(ledger, () => migrate(ledger)));
    // Another process may have created the tables since this connection has read which there are. SQLite notices when a table
    // is missing, but not while the file is locked.
    await run(() => statementsOf(ledger).all("select name from sqlite_schema limit 1"));
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    path: file,
    read: (work) => run(() => work(statementsOf(ledger))),
    write: (work) => run(() => inTransaction(ledger, work)),
    note: (work) =>
      run(() => inTransaction(ledger, work), { evenIfInterrupted: true, timeout: NOTE_TIMEOUT }),
    close: () => connection.close(),
  };
}

/**
 * Creates the ledger where there is none, whole or not at all (on file systems with hard links): so one without content has
 * lost it, and would send again what was sent.
 * @throws CliError configuration for an empty one, and when it cannot be created
 */
async function createIfMissing(file: string, options: LockWaitOptions): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
  try {
    requireFileOrNothing(file);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.size === 0) throw emptyLedgerError(file);
    if (found !== undefined) return;
    createDatabaseFile(draft);
    try {
      await createTables(draft, options);
      publish(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    throw explainDatabaseError(error, file, LEDGER);
  }
}

async function createTables(draft: string, options: LockWaitOptions): Promise<void> {
  const ledger = await openDatabaseOf(LEDGER, draft, options);
  try {
    ledger.connection.exec("begin immediate");
    migrateFrom(0, ledger);
    ledger.connection.exec("commit");
  } finally {
    ledger.connection.close();
  }
}

/** Gives a complete file its name, unless another process was first. */
function publish(draft: string, file: string): void {
  try {
    linkOrCopy(draft, file);
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
}

function linkOrCopy(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") throw error;
    // Not every file system has links. Renaming would replace what another process has created meanwhile.
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  }
}

function statementsOf({ connection }: OpenDatabase): LedgerTransaction {
  return {
    // Every query names its columns, and a row of the driver is an object.
    all: (sql, ...values) => connection.prepare(sql).all(values) as Readonly<Record<string, unknown>>[],
    run: (sql, ...values) => void connection.prepare(sql).run(values),
  };
}

function inTransaction<T>(ledger: OpenDatabase, work: (db: LedgerTransaction) => T): T {
  const db = statementsOf(ledger);
  db.run("begin immediate");
  let result: T;
  try {
    ledger.requireSameFile();
    result = work(db);
    db.run("commit");
  } catch (error) {
    ledger.connection.rollBack();
    throw error;
  }
  // What is noted in a file that nobody else finds is not noted.
  ledger.requireSameFile();
  return result;
}

function migrate(ledger: OpenDatabase): void {
  const version = ledger.readVersion();
  if (version > MIGRATIONS.length) throw newerLedgerError(ledger.file);
  migrateFrom(version, ledger);
}

function migrateFrom(version: number, { connection, writeVersion }: OpenDatabase): void {
  connection.exec(MIGRATIONS.slice(version).flat().join("; "));
  writeVersion();
}

/** A file is created with its tables, so one without content was emptied, or cut when the machine failed. */
function emptyLedgerError(path: string): CliError {
  return configurationError(`the ledger ${path} is empty: what was sent and seen is lost`, {
    hint: MOVE_AWAY,
  });
}

/** A later version of this program has changed the tables. */
function newerLedgerError(path: string): CliError {
  return configurationError(`the ledger ${path} was written by a newer calctl`, {
    hint: `update calctl, or ${CHOOSE_ANOTHER}`,
  });
}
