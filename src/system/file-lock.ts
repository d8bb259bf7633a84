import { randomBytes, randomInt } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir, open, readdir, rm, rmdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../errors.js";
import { sleepFor } from "./clock.js";
import { isRunning, type ProcessSource } from "./process-identity.js";

export interface FileLockOptions {
  readonly process: ProcessSource;
  /** Ends the wait. Does not interrupt `work` once it runs. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait in milliseconds; 5,000 by default. */
  readonly timeout?: number;
  /** Waits some milliseconds, or until the signal aborts; a timer by default. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Thrown when other processes held the lock until the timeout. */
export class LockBusyError extends Error {
  override readonly name = "LockBusyError";
  /** Process id of the holder; null if several processes competed for the lock. */
  readonly holder: number | null;

  constructor(path: string, holder: number | null) {
    const who = holder === null ? "other processes compete for" : `process ${holder} holds`;
    super(`${who} the lock ${path}`);
    this.holder = holder;
  }
}

const TIMEOUT = 5_000;
/** Random delay between attempts (ms), so that colliding processes separate. */
const RETRY_DELAY = { min: 5, max: 25 };
/** How long an entry must be seen before it can be stale (ms); most work under a lock takes far less. */
const GRACE_PERIOD = 500;
/** Age (ms) from which an entry is stale even if a process with its id is running: ids are reused. */
const STALE_AFTER = 60_000;
/** How often the holder writes to its entry (ms), so that it does not get that old. */
const RENEW_EVERY = 20_000;

/**
 * Runs `work` while no other process of this machine runs work under the same path.
 *
 * The lock is a folder, held by the process that has the only entry in it. A process creates its entry before it reads
 * the folder, so of two that collide at least one sees the other and withdraws. Entry names are unique, so removing the
 * entry of a killed process can never remove that of the next holder. An empty folder is free.
 * @param path of the folder; its parent must exist
 * @throws LockBusyError after the timeout; the signal's reason; the file system's error when no lock can be created
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T> | T,
  options: FileLockOptions,
): Promise<T> {
  const entry = `${options.process.pid}-${randomBytes(6).toString("hex")}`;
  let renewing: NodeJS.Timeout | undefined;
  try {
    await acquire(path, entry, options);
    renewing = setInterval(() => renew(join(path, entry)), RENEW_EVERY).unref();
    return await work();
  } finally {
    clearInterval(renewing);
    // Also after a wait that was given up: the last holder may have left the folder, since it was not empty then.
    await release(path, entry);
  }
}

/** Writes to an entry, so that the file system's clock gives it a new time. One that was removed is not made again. */
function renew(entry: string): void {
  try {
    const file = openSync(entry, "r+");
    try {
      writeSync(file, ".", 0);
    } finally {
      closeSync(file);
    }
  } catch (_removed) {
    // Another process has taken the lock over, or the disk fails: then the entry gets old.
  }
}

async function acquire(path: string, entry: string, options: FileLockOptions): Promise<void> {
  const { signal, timeout = TIMEOUT, sleep = sleepFor } = options;
  const search: Search = { path, entry, sightings: new Map(), process: options.process };
  for (let waited = 0; ; ) {
    signal?.throwIfAborted();
    const holder = await findHolder(search, waited);
    if (holder === undefined && (await claim(path, entry))) return;
    if (waited >= timeout) throw new LockBusyError(path, holder === undefined ? null : pidOf(holder));
    const delay = randomInt(RETRY_DELAY.min, RETRY_DELAY.max + 1);
    await sleep(delay, signal);
    waited += delay;
  }
}

/** What is known about another process's entry. */
interface Sighting {
  /** Milliseconds that had been waited when it was first seen. */
  readonly firstSeen: number;
  /** Undefined until checked; it hardly changes during the wait. */
  expired: boolean | undefined;
}

interface Search {
  readonly path: string;
  readonly entry: string;
  readonly sightings: Map<string, Sighting>;
  readonly process: ProcessSource;
}

/** The first entry that is not stale; stale ones before it are removed. */
async function findHolder(search: Search, waited: number): Promise<string | undefined> {
  const { path, sightings } = search;
  for (const other of (await readEntries(path)) ?? []) {
    const sighting = sightings.get(other) ?? { firstSeen: waited, expired: undefined };
    sightings.set(other, sighting);
    const mayBeStale = waited - sighting.firstSeen >= GRACE_PERIOD;
    if (!mayBeStale || !(await isStale(other, sighting, search))) return other;
    // `force`, since another process may have removed it already.
    await rm(join(path, other), { force: true });
  }
  return undefined;
}

/** Whether the entry's process has ended, or its id now belongs to another one. */
async function isStale(other: string, sighting: Sighting, search: Search): Promise<boolean> {
  if (!isRunning(search.process, pidOf(other))) return true;
  sighting.expired ??= await isExpired(join(search.path, other), join(search.path, search.entry));
  return sighting.expired;
}

/** Compares by the file system's clock, in both directions, since that clock may have been set. */
async function isExpired(other: string, own: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(other);
    await create(own);
    try {
      return Math.abs((await stat(own)).mtimeMs - mtimeMs) >= STALE_AFTER;
    } finally {
      await unlink(own);
    }
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Creates the entry; false, without leaving it there, if another process has one. */
async function claim(path: string, entry: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
  try {
    await create(join(path, entry));
  } catch (error) {
    // The last holder has just removed the folder.
    if (errorCodeOf(error) === "ENOENT") return false;
    throw error;
  }
  const entries = await readEntries(path);
  if (entries?.length === 1 && entries[0] === entry) return true;
  await release(path, entry);
  return false;
}

async function create(path: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  await handle.close();
}

/** An entry that cannot be removed becomes stale when this process ends. */
async function release(path: string, entry: string): Promise<void> {
  await unlink(join(path, entry)).catch(() => undefined);
  await rmdir(path).catch(() => undefined);
}

/** Names of entries; undefined if there is no folder. Ignores other files, such as those of a file browser. */
async function readEntries(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(path)).filter((name) => /^\d+-[0-9a-f]{12}$/.test(name));
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function pidOf(entry: string): number {
  return Number.parseInt(entry, 10);
}
