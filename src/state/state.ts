import { randomBytes } from "node:crypto";
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readlinkSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CliError, configurationError, errorCodeOf } from "../errors.js";
import type { Clock } from "../system/clock.js";
import type { ProcessSource } from "../system/file-lock.js";
import { type LockWaitOptions, MEMORY } from "../system/sqlite/connection.js";
import { createDatabaseFile, requireFileOrNothing } from "../system/sqlite/database-file.js";
import {
  type DatabaseKind,
  explainDatabaseError,
  foreignFileError,
  type OpenDatabase,
  openDatabaseOf,
} from "../system/sqlite/open.js";

/** The version of the tables, in `user_version` of the file. */
export const VERSION = 1;

/** A value of a column. Integers are below 2^53. */
type SqlValue = string | number | Uint8Array | null;

/** Statements of one transaction. */
export interface StateTransaction {
  all(sql: string, ...values: readonly SqlValue[]): readonly Readonly<Record<string, unknown>>[];
  run(sql: string, ...values: readonly SqlValue[]): void;
}

/** What a state needs of this machine. */
interface StateMachine {
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly process: ProcessSource;
  /** Ends the wait for another process. */
  readonly signal: () => AbortSignal;
  /** Called with a line that tells the user what a long wait is for. */
  readonly noteWait: (text: string) => void;
}

/** The open `state.db`: what must last between runs. */
export interface State extends StateMachine {
  /** Of the file; `:memory:` if there is none. */
  readonly path: string;
  /** @throws CliError configuration, unavailable; the reason of an interruption */
  read<T>(work: (db: StateTransaction) => T): Promise<T>;
  /**
   * Runs work that is on the disk when it resolves. It may be repeated while other processes use the file, so it must have
   * no effects but its statements.
   * @throws CliError configuration, unavailable; the reason of an interruption
   */
  write<T>(work: (db: StateTransaction) => T, options?: StateWriteOptions): Promise<T>;
  close(): void;
}

interface StateWriteOptions {
  /** `normal`: a power cut may lose it, as long as nothing later is written with `full`, the default. A kill loses neither. */
  readonly sync?: "full" | "normal";
  /** Whether it is also written if the run was interrupted meanwhile: it then waits longer for other processes. */
  readonly evenIfInterrupted?: boolean;
  /** How long to wait for other processes (ms): by default 10,000, or 60,000 if it is also written when interrupted. */
  readonly timeout?: number;
}

interface OpenStateOptions extends StateMachine {
  readonly path: string;
  /** Whether a missing file is created (by default); otherwise the state is then empty and in memory. */
  readonly create?: boolean;
  /** Called with a line to show the user. */
  readonly note: (text: string) => void;
}

const LOST = "what was sent before may then be sent again";
const CHOOSE_ANOTHER = "set CALCTL_STATE_DIR to another folder";

const STATE: DatabaseKind = {
  noun: "state database",
  // "cals" in ASCII.
  applicationId: 0x63616c73,
  version: VERSION,
  whenDamaged: `move it away, with its -wal file if there is one, to start with a new one; ${LOST}`,
  chooseAnother: CHOOSE_ANOTHER,
  whenReplaced: { problem: "while calctl used it", hint: "run the command again" },
  Unavailable: CliError,
};

/** What earlier versions kept in the same folder, and what follows from starting anew. */
const OLD_FILES = {
  "ledger.db": LOST,
  journal: "what it lists cannot be undone",
  imports: "what was imported before may then be imported again",
};

/** How long another process may take to fill a new file (ms). */
const COPY_TIME = 500;

/** How long to wait for the lock to write what must not be lost (ms): other processes hold it for milliseconds. */
const LONG_TIMEOUT = 60_000;

/**
 * Opens the state, and creates its file (0600, a new folder 0700) if it is missing.
 * @throws CliError configuration when the file is not ours, damaged, newer than this program or cannot be written
 */
export async function openState({ path, create = true, note, ...machine }: OpenStateOptions): Promise<State> {
  const { clock, signal, noteWait } = machine;
  const sleep: LockWaitOptions["sleep"] = (milliseconds, aborted) =>
    clock.sleep(milliseconds, aborted ?? NEVER);
  const onLongWait = () => noteWait(`waiting for another process that uses the state database ${path}`);
  const wait = { signal, sleep, onLongWait };
  const file = await prepareFile(resolve(path), { create, note, wait });
  const opened = await openDatabaseOf(STATE, file, wait);
  const { connection, run } = opened;
  try {
    if (file === MEMORY) createTables(opened);
    else await run(() => requireVersion(opened));
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    ...machine,
    path: file,
    read: (work) => run(() => work(statementsOf(opened))),
    write(work, { sync = "full", evenIfInterrupted = false, timeout } = {}) {
      const longest = timeout ?? (evenIfInterrupted ? LONG_TIMEOUT : undefined);
      return run(() => inTransaction(opened, sync, work), { evenIfInterrupted, timeout: longest });
    },
    close() {
      try {
        // The file is then complete on its own, unless other processes use it.
        connection.exec("pragma wal_checkpoint(truncate)");
      } catch (_fullOrLocked) {
        // What is in the log stays there, and is read from there.
      }
      connection.close();
    },
  };
}

const NEVER = new AbortController().signal;

interface PrepareOptions extends Required<Pick<OpenStateOptions, "create" | "note">> {
  readonly wait: LockWaitOptions;
}

/**
 * Creates a missing file, whole or not at all (on file systems with hard links): one without content has lost it, and calctl
 * would send again what was sent.
 * @returns what is to be opened
 * @throws CliError configuration if it is empty or cannot be created
 */
async function prepareFile(file: string, { create, note, wait }: PrepareOptions): Promise<string> {
  try {
    requireFileOrNothing(file);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.size === 0 && (await isStillEmpty(file, wait))) throw emptyFileError(file);
    if (found !== undefined) return file;
    if (!create) return MEMORY;
    const target = followLinks(file);
    requireNoLog(target);
    if (await createFile(target, wait)) noteOldFiles(dirname(file), note);
    return file;
  } catch (error) {
    throw explainDatabaseError(error, file, STATE);
  }
}

/** Without hard links, a file that another process creates has its name before it has its content. */
async function isStillEmpty(file: string, { sleep, signal }: LockWaitOptions): Promise<boolean> {
  await sleep?.(COPY_TIME, signal?.());
  return statSync(file, { throwIfNoEntry: false })?.size === 0;
}

/** Where a missing file is to be created. */
function followLinks(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? followLinks(resolve(dirname(file), readlinkSync(file))) : file;
}

/** @returns whether this process was the first */
async function createFile(file: string, wait: LockWaitOptions): Promise<boolean> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
  createDatabaseFile(draft);
  try {
    const opened = await openDatabaseOf(STATE, draft, wait);
    try {
      createTables(opened);
      // Some file systems do not grant it: the file then keeps SQLite's rollback journal.
      opened.connection.exec("pragma journal_mode = wal");
    } finally {
      opened.connection.close();
    }
    return publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function createTables({ connection, writeVersion }: OpenDatabase): void {
  connection.exec("begin immediate");
  connection.exec(SCHEMA);
  writeVersion();
  connection.exec("commit");
}

/** Gives a complete file its name, unless another process was first. */
function publish(draft: string, file: string): boolean {
  try {
    linkOrCopy(draft, file);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
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

/** SQLite would take the log of a file that was removed as that of the new one. */
function requireNoLog(file: string): void {
  const log = `${file}-wal`;
  if (!statSync(log, { throwIfNoEntry: false })?.size || existsSync(file)) return;
  throw configurationError(`the state database ${file} is missing, and its log ${basename(log)} is not`, {
    hint: `restore the database, or move the log away to start with a new one; ${LOST}`,
  });
}

function noteOldFiles(folder: string, note: (text: string) => void): void {
  for (const [name, effect] of Object.entries(OLD_FILES))
    if (existsSync(join(folder, name)))
      note(`${join(folder, name)} from an older calctl is ignored; ${effect}`);
}

/** @throws CliError configuration unless the file is ours and of this version */
function requireVersion({ file, isCurrent, readVersion }: OpenDatabase): void {
  if (isCurrent()) return;
  if (readVersion() <= VERSION) throw foreignFileError(file, STATE);
  throw configurationError(`the state database ${file} was written by a newer calctl`, {
    hint: `update calctl, or ${CHOOSE_ANOTHER}`,
  });
}

function statementsOf({ connection }: OpenDatabase): StateTransaction {
  return {
    // Every query names its columns, and a row of the driver is an object.
    all: (sql, ...values) => connection.prepare(sql).all(values) as Readonly<Record<string, unknown>>[],
    run: (sql, ...values) => void connection.prepare(sql).run(values),
  };
}

/** Without a write-ahead log, the end of a transaction could be lost with SQLite's `full`: its folder is not synced. */
const SYNCHRONOUS = { full: "extra", normal: "normal" } as const;

function inTransaction<T>(
  opened: OpenDatabase,
  sync: keyof typeof SYNCHRONOUS,
  work: (db: StateTransaction) => T,
): T {
  const db = statementsOf(opened);
  // It was opened for reading while the disk was full.
  opened.connection.renew();
  // Deleted rows are overwritten, since what they say is about people.
  opened.connection.exec(`pragma synchronous = ${SYNCHRONOUS[sync]}; pragma secure_delete = on`);
  db.run("begin immediate");
  let result: T;
  try {
    opened.requireSameFile();
    result = work(db);
    db.run("commit");
  } catch (error) {
    opened.connection.rollBack();
    throw error;
  }
  // If the file was replaced meanwhile, this write is lost.
  opened.requireSameFile();
  return result;
}

/** A file is created with its tables, so one without content was emptied, or cut when the machine failed. */
function emptyFileError(path: string): CliError {
  return configurationError(
    `the state database ${path} is empty: its records of messages, changes, writes and imports are lost`,
    {
      hint: STATE.whenDamaged,
    },
  );
}

/** The tables. Times are milliseconds since the Unix epoch; `owner` is an `Owner` as JSON. */
const SCHEMA = `
-- A row for each key under which something was or is being sent. Rows with the same message_id were sent as one message. seen is
-- saved under seen_name and seen_reader once the message was sent.
create table sent (
  key text not null primary key,
  state text not null,
  owner text not null,
  began_at integer not null,
  forget_at integer not null,
  message_id text,
  command text not null,
  target text,
  what text,
  seen_name text,
  seen_reader text,
  seen blob
) strict;
create index sent_by_forget_at on sent (forget_at);

-- The last snapshot of each name and reader; the readers of a name advance independently. undelivered: changes that a run found and
-- did not finish delivering. content is null if only undelivered is stored.
create table seen (
  name text not null,
  reader text not null,
  content blob,
  revision integer not null,
  remembered_at integer not null,
  undelivered blob,
  primary key (name, reader)
) strict;

-- What commands wrote, for undo. A row is added before its request is sent. run is the id of the first write of its command. An id is
-- not used again: a process that still runs may update a row that was removed. written and outcome are JSON; new_id is the id of a
-- deleted event after it was created again.
create table writes (
  id integer primary key autoincrement,
  run integer not null,
  account text not null,
  command text not null,
  began_at integer not null,
  kind text not null,
  state text not null,
  calendar_id text,
  event_id text,
  title text,
  written text not null,
  outcome text,
  new_id text
) strict;
create index writes_by_run on writes (run);

-- What imports remember of each event; see ImportedRow.
create table imported (
  source text not null,
  identity text not null,
  event_id text,
  sequence integer,
  record text,
  pending text,
  primary key (source, identity)
) strict;
create index imported_by_event on imported (event_id) where event_id is not null;

-- Locks that running processes hold, by name.
create table holders (
  name text not null primary key,
  owner text not null
) strict, without rowid;
`;
