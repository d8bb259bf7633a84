import { randomBytes } from "node:crypto";
import { constants, copyFileSync, linkSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errorCodeOf } from "../../errors.js";
import {
  type Connection,
  connect,
  createRunUnlocked,
  type LockWaitOptions,
  type RunUnlocked,
} from "../../system/sqlite/connection.js";
import { createDatabaseFile, requireFileOrNothing } from "../../system/sqlite/database-file.js";
import { loadSqlite, resultCode, type SqliteModule } from "../../system/sqlite/driver.js";
import {
  emptyLedgerError,
  explainLedgerError,
  explainLedgerFileError,
  foreignLedgerError,
  newerLedgerError,
  replacedLedgerError,
} from "./errors.js";
import { MIGRATIONS } from "./schema.js";

/** Marks a file as a ledger in its `application_id`: "calg" in ASCII. */
export const LEDGER_APPLICATION_ID = 0x63616c67;

/** A value of a column. Integers are below 2^53. */
export type SqlValue = string | number | Uint8Array | null;

/** Statements of one transaction. */
export interface LedgerTransaction {
  all(sql: string, ...values: readonly SqlValue[]): readonly Readonly<Record<string, unknown>>[];
  run(sql: string, ...values: readonly SqlValue[]): void;
}

export interface WriteOptions {
  /** Whether it has to be done although the run was interrupted. */
  readonly evenIfInterrupted?: boolean;
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
  write<T>(work: (db: LedgerTransaction) => T, options?: WriteOptions): Promise<T>;
  close(): void;
}

/** How long to wait for the lock to note what was sent (ms): other processes hold it for milliseconds. */
const NOTE_TIMEOUT = 60_000;

/**
 * Opens the file of a ledger, creates it (0600, a new folder 0700) or migrates it.
 * @throws CliError configuration when the file is not ours, damaged, newer than this program or cannot be written
 */
export async function openLedgerDatabase(path: string, options: LockWaitOptions): Promise<LedgerDatabase> {
  const file = resolve(path);
  const explain = (error: unknown) => explainLedgerError(error, file);
  const run = createRunUnlocked(explain, options);
  const runToTheEnd = createRunUnlocked(explain, { sleep: options.sleep });
  const sqlite = await loadSqlite();
  await run(() => createIfMissing(sqlite, file));
  const connection = await run(() => connect(sqlite, file));
  const transact = <T>(runner: RunUnlocked, work: (db: LedgerTransaction) => T, timeout?: number) =>
    runner(() => inTransaction(connection, file, work), { timeout });
  try {
    await run(() => {
      // With `full` alone, the end of a transaction could be lost in a power failure: its folder is not synced.
      connection.prepare("pragma synchronous = extra").all([]);
    });
    if (!(await run(() => isCurrent(connection)))) await transact(run, (db) => migrate(db, file));
    // Another process may have created the tables since this connection has read which there are. SQLite notices when a table
    // is missing, but not while the file is locked.
    await run(() => statementsOf(connection).all("select name from sqlite_schema limit 1"));
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    path: file,
    read: (work) => run(() => work(statementsOf(connection))),
    write: (work, { evenIfInterrupted = false } = {}) =>
      evenIfInterrupted ? transact(runToTheEnd, work, NOTE_TIMEOUT) : transact(run, work),
    close: () => connection.close(),
  };
}

/**
 * Creates the ledger where there is none, whole or not at all (on file systems with hard links): so one without content has
 * lost it, and would send again what was sent.
 * @throws CliError configuration for an empty one, and when it cannot be created
 */
function createIfMissing(sqlite: SqliteModule, file: string): void {
  const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
  try {
    requireFileOrNothing(file);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.size === 0) throw emptyLedgerError(file);
    if (found !== undefined) return;
    createDatabaseFile(draft);
    const connection = connect(sqlite, draft);
    try {
      connection.exec(`begin immediate; ${migrationFrom(0).join("; ")}; commit`);
    } finally {
      connection.close();
    }
    publish(draft, file);
  } catch (error) {
    throw explainLedgerFileError(error, file);
  } finally {
    rmSync(draft, { force: true });
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

function statementsOf(connection: Connection): LedgerTransaction {
  return {
    // Every query names its columns, and a row of the driver is an object.
    all: (sql, ...values) => connection.prepare(sql).all(values) as Readonly<Record<string, unknown>>[],
    run: (sql, ...values) => void connection.prepare(sql).run(values),
  };
}

function inTransaction<T>(connection: Connection, file: string, work: (db: LedgerTransaction) => T): T {
  const db = statementsOf(connection);
  db.run("begin immediate");
  let result: T;
  try {
    if (!connection.isCurrentFile()) throw replacedLedgerError(file);
    result = work(db);
    db.run("commit");
  } catch (error) {
    rollBack(db);
    throw error;
  }
  // What is noted in a file that nobody else finds is not noted.
  if (!connection.isCurrentFile()) throw replacedLedgerError(file);
  return result;
}

function rollBack(db: LedgerTransaction): void {
  try {
    db.run("rollback");
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back by itself, and then this one is its answer.
    if (resultCode(error) !== "ERROR") throw error;
  }
}

function pragma(db: LedgerTransaction, name: "application_id" | "user_version"): number {
  return Number(db.all(`pragma ${name}`)[0]?.[name]);
}

function isCurrent(connection: Connection): boolean {
  const db = statementsOf(connection);
  return (
    pragma(db, "application_id") === LEDGER_APPLICATION_ID && pragma(db, "user_version") === MIGRATIONS.length
  );
}

/** Call it with the write lock held: another process may be migrating the same file. */
function migrate(db: LedgerTransaction, file: string): void {
  const application = pragma(db, "application_id");
  const version = pragma(db, "user_version");
  // A file that was truncated inside its first page reads like an empty database, so its size must be 0 too.
  const isEmpty = application === 0 && version === 0 && statSync(file).size === 0;
  if (!isEmpty && application !== LEDGER_APPLICATION_ID) throw foreignLedgerError(file);
  if (version > MIGRATIONS.length) throw newerLedgerError(file);
  for (const statement of migrationFrom(version)) db.run(statement);
}

/** The statements that bring a ledger of a version up to date. */
function migrationFrom(version: number): readonly string[] {
  return [
    ...MIGRATIONS.slice(version).flat(),
    `pragma application_id = ${LEDGER_APPLICATION_ID}`,
    `pragma user_version = ${MIGRATIONS.length}`,
  ];
}
