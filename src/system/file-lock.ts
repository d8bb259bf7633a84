import { randomBytes, randomInt } from "node:crypto";
import { mkdir, open, readdir, rm, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../errors.js";
import { once, sleepFor } from "./clock.js";

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
  const { pid, run } = identityOf(options.process);
  const entry = `${pid}-${run}-${randomBytes(6).toString("hex")}`;
  try {
    await acquire(path, entry, options);
    return await work();
  } finally {
    // Also after a wait that was given up: the last holder may have left the folder, since it was not empty then.
    await release(path, entry);
  }
}

async function acquire(path: string, entry: string, options: FileLockOptions): Promise<void> {
  const { process, signal, timeout = TIMEOUT, sleep = sleepFor } = options;
  for (let waited = 0; ; ) {
    signal?.throwIfAborted();
    const holder = await findHolder(path, process);
    if (holder === undefined && (await claim(path, entry))) return;
    if (waited >= timeout) throw new LockBusyError(path, holder ?? null);
    const delay = randomInt(RETRY_DELAY.min, RETRY_DELAY.max + 1);
    await sleep(delay, signal);
    waited += delay;
  }
}

/** The id of the first process with an entry that still runs; entries of others before it are removed. */
async function findHolder(path: string, process: ProcessSource): Promise<number | undefined> {
  for (const other of (await readEntries(path)) ?? []) {
    const [pid = "", run = ""] = other.split("-");
    if (isRunning(process, { pid: Number(pid), run })) return Number(pid);
    // `force`, since another process may have removed it already.
    await rm(join(path, other), { force: true });
  }
  return undefined;
}

/** Creates the entry; false, without leaving it there, if another process has one. */
async function claim(path: string, entry: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
  try {
    const handle = await open(join(path, entry), "wx", 0o600);
    await handle.close();
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

/** An entry that cannot be removed counts no more when this process ends. */
async function release(path: string, entry: string): Promise<void> {
  await unlink(join(path, entry)).catch(() => undefined);
  await rmdir(path).catch(() => undefined);
}

/** Names of entries; undefined if there is no folder. Ignores other files, such as those of a file browser. */
async function readEntries(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(path)).filter((name) => /^\d+-[0-9a-f]{12}-[0-9a-f]{12}$/.test(name));
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The part of Node's `process` that checks other processes. */
export interface ProcessSource {
  readonly pid: number;
  kill(pid: number, signal: 0): unknown;
}

/** A process, as files name it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Random: in containers, each run may have the same process id. */
  readonly run: string;
}

/** When first asked for: what makes it takes longer to load than most runs take for all their files. */
const ownRun = once(() => randomBytes(6).toString("hex"));

export function identityOf({ pid }: ProcessSource): ProcessIdentity {
  return { pid, run: ownRun() };
}

/**
 * Whether a process still runs. False also for a process that cannot be seen from here: of another machine or container.
 * A later process that was given the same id counts as this one.
 */
export function isRunning(source: ProcessSource, { pid, run }: ProcessIdentity): boolean {
  if (pid === source.pid) return run === ownRun();
  try {
    // Signal 0 only checks.
    source.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that it runs as another user.
    return errorCodeOf(error) !== "ESRCH";
  }
}
