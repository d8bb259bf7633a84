import { randomInt } from "node:crypto";
import { chmodSync, statfsSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { sleepFor } from "../clock.js";
import { isOnReadOnlyDisk } from "../ownership.js";
import { isDiskError, isLocked, loadSqlite, openDatabase, resultCode, type SqliteModule } from "./driver.js";

/** How long to wait for the lock of another process (ms). */
const LOCK_TIMEOUT = 10_000;
/** Random pause between attempts (ms). Its upper bound doubles up to the last one, so that processes separate. */
const PAUSE = { min: 5, max: 50 };

export interface LockWaitOptions {
  /** Ends the wait for the lock of another process; called when one begins. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Waits some milliseconds, or until the signal aborts; a timer by default. */
  readonly sleep?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** Called once in a wait that takes two seconds or more. */
  readonly onLongWait?: (() => void) | undefined;
}

/** A wait that people are told about (ms). */
const LONG_WAIT = 2_000;

/** Tells of a wait before the pause (ms) that makes it a long one. */
export function noteLongWait(waited: number, pause: number, note: () => void): void {
  if (waited < LONG_WAIT && waited + pause >= LONG_WAIT) note();
}

export interface WorkOptions {
  /** How long to wait for the lock of another process (ms); 10,000 by default. */
  readonly timeout?: number | undefined;
  /** Whether the signal does not end the wait. */
  readonly evenIfInterrupted?: boolean | undefined;
}

/**
 * Runs work on a database. While another process holds the lock that it needs, the work is repeated after a pause, in
 * which this process can do other things.
 * @throws what explains an error of the driver, also when the lock is held for too long; the signal's reason
 */
export type RetryWhileLocked = <T>(work: () => Promise<T> | T, options?: WorkOptions) => Promise<T>;

/** @param explain turns an error of the driver into one that says what to do, and returns any other error unchanged */
export function createRetryWhileLocked(
  explain: (error: unknown) => unknown,
  options: LockWaitOptions,
): RetryWhileLocked {
  const { signal, sleep = sleepFor, onLongWait = () => undefined } = options;
  return async (work, { timeout = LOCK_TIMEOUT, evenIfInterrupted = false } = {}) => {
    let longest = PAUSE.min;
    for (let waited = 0; ; ) {
      try {
        return await work();
      } catch (error) {
        if (!isLocked(error) || waited >= timeout) throw explain(error);
      }
      longest = Math.min(2 * longest, PAUSE.max);
      const pause = Math.min(randomInt(PAUSE.min, longest + 1), timeout - waited);
      noteLongWait(waited, pause, onLongWait);
      await sleep(pause, evenIfInterrupted ? undefined : signal?.());
      waited += pause;
    }
  };
}

export const MEMORY = ":memory:";

/** An open database. Its errors are those of the driver. */
export type Connection = Awaited<ReturnType<typeof connect>>;

/**
 * Opens an existing file, or a database in memory. A file on a disk that is full or read-only is opened for reading.
 * @throws the driver's error; CliError configuration without SQLite
 */
export async function connect(path: string) {
  const sqlite = await loadSqlite();
  if (path !== MEMORY) makeSideFilesWritable(path);
  let { database, readOnly } = openReadable(sqlite, path);
  let file = identify(path);
  return {
    prepare: (text: string) => database.prepare(text),
    exec: (text: string) => database.exec(text),
    close: () => database.close(),
    /** The first value of the answer to a pragma; undefined without one. */
    pragma(text: string): unknown {
      const [row] = database.prepare(`pragma ${text}`).all([]);
      return typeof row === "object" && row !== null ? Object.values(row)[0] : undefined;
    },
    /** Ends a transaction that failed. */
    rollBack(): void {
      try {
        database.prepare("rollback").run([]);
      } catch (error) {
        // After some errors, such as a full disk, SQLite has rolled back already, and answers with this one.
        if (resultCode(error) !== "ERROR") throw error;
      }
    },
    /**
     * Opens the database for writing if it could only be opened for reading, and may not see what others write. Call it
     * outside of transactions.
     */
    renew(): void {
      if (!readOnly || isOnReadOnlyDisk(path)) return;
      const current = database;
      try {
        database = openDatabase(sqlite, path);
      } catch (error) {
        if (isDiskError(error)) return;
        throw error;
      }
      readOnly = false;
      file = identify(path);
      current.close();
    },
    /** Whether it could only be opened for reading, and may not see what others write. */
    isReadOnly: () => readOnly,
    /** Whether the path still leads to the file that is open: what is written to another one is lost with it. */
    isCurrentFile: () => identify(path) === file,
  };
}

/** Device and inode of a file; undefined if there is none, also for a database in memory. */
function identify(path: string): string | undefined {
  const file = path === MEMORY ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false });
  return file && `${file.dev} ${file.ino}`;
}

function openReadable(sqlite: SqliteModule, path: string) {
  const onReadOnlyDisk = path !== MEMORY && isOnReadOnlyDisk(path);
  try {
    return { database: openDatabase(sqlite, path), readOnly: onReadOnlyDisk };
  } catch (error) {
    if (!(onReadOnlyDisk || isDiskError(error)) || !isComplete(path)) throw error;
  }
  // Beside a database with a write-ahead log SQLite needs a file for its locks. Where none can be made, no other process
  // changes the database, so it can be read without locks.
  const uri = pathToFileURL(path);
  uri.search = "?immutable=1";
  return { database: openDatabase(sqlite, uri.href), readOnly: true };
}

/**
 * Gives SQLite's files beside a database its permissions again: one that was read while it was read-only has left them
 * read-only, and could never be written again.
 */
function makeSideFilesWritable(path: string): void {
  for (const side of [`${path}-wal`, `${path}-shm`]) {
    const found = statSync(side, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & OWNER_WRITE) !== 0) continue;
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    try {
      if ((mode & OWNER_WRITE) !== 0) chmodSync(side, mode & 0o777);
    } catch (_notOurs) {
      // What is wrong with it is said when the database is written.
    }
  }
}

const OWNER_WRITE = 0o200;

/** Whether everything is in the file itself: a process that was killed leaves changes in the files beside it. */
function isComplete(path: string): boolean {
  const sizes = ["-wal", "-journal"].map(
    (suffix) => statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size,
  );
  return sizes.every((size) => size === undefined || size === 0);
}

/** Whether a file is on a file system without space, where SQLite cannot make its files beside it and only reads. */
export function isOnFullDisk(path: string): boolean {
  try {
    return statfsSync(path).bavail === 0;
  } catch (_noFile) {
    return false;
  }
}
