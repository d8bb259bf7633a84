import { randomBytes, randomInt } from "node:crypto";
import { mkdir, open, readdir, rmdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorCodeOf } from "../errors.js";

/** What a lock must know of processes. */
export interface ProcessTable {
  /** Of this process. */
  readonly pid: number;
  isRunning(pid: number): boolean;
}

export interface FileLockOptions {
  readonly processes: ProcessTable;
  /** Ends the wait; `work` that has begun is not touched. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait in milliseconds (5,000). */
  readonly patience?: number;
  /** In place of the timer: milliseconds, and what ends it early. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Another process held the lock for longer than one was willing to wait. */
export class LockBusyError extends Error {
  override readonly name = "LockBusyError";
  /** Process id of the holder; null where several were after it. */
  readonly holder: number | null;

  constructor(path: string, holder: number | null) {
    super(`${holder === null ? "other processes are after" : `process ${holder} holds`} the lock ${path}`);
    this.holder = holder;
  }
}

const PATIENCE = 5_000;
/** Bounds of the pause between two attempts, in milliseconds; drawn, so that two that collide part. */
const PAUSE = [5, 25] as const;
/** How long one that looks abandoned is watched, in milliseconds: work under a lock takes far less. */
const WATCH = 500;
/** Age in milliseconds from which a process that is running is no longer believed to be the one that took it. */
const OLD = 60_000;

/**
 * Runs `work` while no other process of this machine runs its own under the same path. For work of milliseconds.
 *
 * The lock is a folder, and whoever has the only entry in it holds it: an entry is made first and the folder read
 * after, so of two that meet at least one sees the other and withdraws. Entries have names of their own, so one that a
 * killed process left is removed by name and never by mistake that of the next holder; an empty folder holds nothing.
 * @param path of a folder that need not exist, in one that does
 * @throws LockBusyError after the wait; the signal's reason; the file system's error where no lock can be made
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T> | T,
  options: FileLockOptions,
): Promise<T> {
  const entry = `${options.processes.pid}-${randomBytes(6).toString("hex")}`;
  await acquire(path, entry, options);
  try {
    return await work();
  } finally {
    await release(path, entry);
  }
}

async function acquire(path: string, entry: string, options: FileLockOptions): Promise<void> {
  const { signal, patience = PATIENCE, sleep = pause } = options;
  const watched = new Map<string, Watched>();
  for (let waited = 0; ; ) {
    signal?.throwIfAborted();
    const holder = await findHolder({ path, entry, waited, watched, isRunning: options.processes.isRunning });
    if (holder === undefined && (await claim(path, entry))) return;
    if (waited >= patience) {
      throw new LockBusyError(path, holder === undefined ? null : processOf(holder));
    }
    const delay = randomInt(PAUSE[0], PAUSE[1] + 1);
    await sleep(delay, signal);
    waited += delay;
  }
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

interface Watched {
  /** Milliseconds that had been waited when it was first seen. */
  readonly since: number;
  /** Undefined until it was asked for: it hardly changes while one waits. */
  old: boolean | undefined;
}

interface Search {
  readonly path: string;
  readonly entry: string;
  readonly waited: number;
  readonly watched: Map<string, Watched>;
  readonly isRunning: (pid: number) => boolean;
}

/** An entry that counts; those that were abandoned are removed. */
async function findHolder(search: Search): Promise<string | undefined> {
  const { path, waited, watched } = search;
  for (const other of (await entriesOf(path)) ?? []) {
    const seen = watched.get(other) ?? { since: waited, old: undefined };
    watched.set(other, seen);
    if (waited - seen.since < WATCH || !(await isAbandoned(other, seen, search))) return other;
    await removeAbandoned(join(path, other));
  }
  return undefined;
}

/** Its process has ended; or its number was given to another process since. */
async function isAbandoned(other: string, seen: Watched, search: Search): Promise<boolean> {
  if (!search.isRunning(processOf(other))) return true;
  seen.old ??= await isOld(join(search.path, other), join(search.path, search.entry));
  return seen.old;
}

/** By the clock of the file system, which stamps both: in either direction, for it may have been set. */
async function isOld(other: string, own: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(other);
    await create(own);
    try {
      return Math.abs((await stat(own)).mtimeMs - mtimeMs) >= OLD;
    } finally {
      await unlink(own);
    }
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Whether the lock is held now. */
async function claim(path: string, entry: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
  try {
    await create(join(path, entry));
  } catch (error) {
    // Whoever had it has just taken the folder away.
    if (errorCodeOf(error) === "ENOENT") return false;
    await rmdir(path).catch(() => undefined);
    throw error;
  }
  const entries = await entriesOf(path);
  if (entries?.length === 1 && entries[0] === entry) return true;
  await release(path, entry);
  return false;
}

async function create(path: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  await handle.close();
}

/** One that cannot be removed is taken over by the next one, once this process has ended. */
async function release(path: string, entry: string): Promise<void> {
  await unlink(join(path, entry)).catch(() => undefined);
  await rmdir(path).catch(() => undefined);
}

/** Names of entries; undefined without the folder. Others, such as those of a file browser, do not count. */
async function entriesOf(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(path)).filter((name) => /^\d+-[0-9a-f]{12}$/.test(name));
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function processOf(entry: string): number {
  return Number.parseInt(entry, 10);
}

/** Somebody else may have been quicker. */
async function removeAbandoned(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  }
}

/** What is used of the process to look at others. */
export interface ProcessSource {
  readonly pid: number;
  kill(pid: number, signal: 0): unknown;
}

/** The processes of this machine, as far as this one may see them. */
export function createProcessTable(source: ProcessSource): ProcessTable {
  return {
    pid: source.pid,
    isRunning(pid) {
      try {
        // Sends nothing.
        source.kill(pid, 0);
        return true;
      } catch (error) {
        // EPERM: it runs and belongs to somebody else.
        return errorCodeOf(error) !== "ESRCH";
      }
    },
  };
}
