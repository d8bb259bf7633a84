import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CliError, configurationError, errorCodeOf, usageError } from "../../../src/errors.js";
import { yieldToEventLoop } from "../../../src/system/clock.js";
import { connect } from "../../../src/system/sqlite/connection.js";
import { describeFileError } from "../../../src/system/sqlite/database-file.js";
import { resultCode } from "../../../src/system/sqlite/driver.js";
import { checkFile } from "../../../src/system/sqlite/file-check.js";
import { explainDatabaseError, foreignFileError, openDatabaseOf } from "../../../src/system/sqlite/open.js";
import { renewRevisions } from "../revisions.js";
import type { LongWorkOptions } from "../store.js";
import { CALENDARS } from "./errors.js";
import { ensureFile, queriesOn } from "./open.js";

/** The first version whose calendars have revisions. */
const FIRST_WITH_REVISIONS = 6;

export interface BackupOptions extends LongWorkOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A copy of a database that was made and checked. */
export interface Backup {
  /** Absolute path. */
  readonly file: string;
  /** Its size. */
  readonly bytes: number;
  readonly users: number;
  readonly calendars: number;
  readonly events: number;
}

/**
 * Copies a database as it is at one moment into a new file (0600), while others may read and write it. The copy has its name
 * only once it is complete, checked and on the disk; otherwise nothing is left of it. It is not migrated, nor is the database.
 * Its revisions are ahead of those that the database reaches meanwhile: whoever knows these reads everything again after the
 * copy has been restored.
 * @param path of the SQLite file
 * @param file must not exist; its folder must
 * @throws CliError usage when the file exists, or the log of an earlier database of that name; configuration when the database
 * is missing, not ours or damaged, or the file cannot be written; the signal's reason
 */
export async function backUp(path: string, file: string, options: BackupOptions): Promise<Backup> {
  const source = resolve(path);
  const target = resolve(file);
  if (BESIDE.some((suffix) => target === `${source}${suffix}`)) {
    throw usageError(`FILE: ${target} is the name of a file of the database itself`, "choose another name");
  }
  requireFree(target);
  ensureFile(source, { readOnly: true });
  const temporary = join(dirname(target), `.calctl-backup-${randomBytes(8).toString("hex")}`);
  // Fails if the name exists, and SQLite would create a file that everyone can read.
  const handle = await open(temporary, "wx", 0o600).catch((cause) => {
    throw explainTargetError(cause, target);
  });
  try {
    await copyDatabase(source, temporary, options);
    options.signal.throwIfAborted();
    options.onProgress({ what: "checking the copy", done: 0, total: 0 });
    const counts = await finishCopy(temporary, source, options);
    options.signal.throwIfAborted();
    await handle.sync();
    await giveName(temporary, target);
    await syncFolder(dirname(target));
    return { file: target, bytes: (await stat(target)).size, ...counts };
  } catch (error) {
    throw explainTargetError(error, target);
  } finally {
    await handle.close();
    for (const suffix of ["", ...BESIDE]) {
      await unlink(`${temporary}${suffix}`).catch(() => undefined);
    }
  }
}

async function copyDatabase(
  source: string,
  temporary: string,
  { onProgress, signal }: LongWorkOptions,
): Promise<void> {
  const { connection: database, run } = await openDatabaseOf(CALENDARS, source, { signal: () => signal });
  try {
    if (database.pragma("application_id") !== CALENDARS.applicationId)
      throw foreignFileError(source, CALENDARS);
    onProgress({ what: "copying", done: 0, total: 0 });
    await yieldToEventLoop(signal);
    await run(() => database.prepare("vacuum into ?").run([temporary]));
  } finally {
    database.close();
  }
}

/** Makes one file of the copy, verifies it, and gives it other revisions. */
async function finishCopy(
  copy: string,
  source: string,
  { checkElsewhere, now }: BackupOptions,
): Promise<Omit<Backup, "file" | "bytes">> {
  const database = await connect(copy);
  try {
    // Otherwise a part of what is written could be in files beside it.
    database.pragma("journal_mode = delete");
    const [problem] = (await checkElsewhere?.(copy)) ?? checkFile(database);
    if (problem !== undefined) {
      throw configurationError(`the database ${source} is damaged: ${problem}`, {
        hint: "restore it from an earlier backup",
      });
    }
    const count = (table: string) => {
      const [row] = database.prepare(`select count(*) as count from ${table}`).all([]);
      return Number((row as { readonly count: number }).count);
    };
    const counts = { users: count("users"), calendars: count("calendars"), events: count("events") };
    if (Number(database.pragma("user_version")) >= FIRST_WITH_REVISIONS)
      await renewRevisions(queriesOn(database), now);
    return counts;
  } catch (error) {
    // Pages are copied as they are.
    throw resultCode(error) === "CORRUPT" ? explainDatabaseError(error, source, CALENDARS) : error;
  } finally {
    database.close();
  }
}

/** What SQLite adds to the name of a database for its logs, which it applies to whatever has that name. */
const LOGS = ["-journal", "-wal"];

/** The same for all files that it writes beside a database. */
const BESIDE = [...LOGS, "-shm"];

/** @throws CliError usage */
function requireFree(target: string): void {
  if (existsSync(target)) throw existingFileError(target);
  const left = LOGS.map((suffix) => `${target}${suffix}`).find((file) => existsSync(file));
  if (left !== undefined) {
    throw usageError(
      `FILE: ${left} is left over from an earlier database, and SQLite would apply it to the backup`,
      "remove it, or choose another name",
    );
  }
}

/** Fails if the name has been taken meanwhile. */
async function giveName(temporary: string, target: string): Promise<void> {
  requireFree(target);
  try {
    await link(temporary, target);
  } catch (error) {
    // Some file systems, such as FAT, have no links.
    if (!["EPERM", "ENOTSUP", "ENOSYS"].includes(errorCodeOf(error) ?? "")) throw error;
    if (existsSync(target)) throw existingFileError(target);
    await rename(temporary, target);
  }
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Some file systems cannot, and a folder may be one that this user writes to and cannot read.
  }
}

function existingFileError(file: string): CliError {
  return usageError(`FILE: ${file} exists already`, "a backup replaces nothing: choose another name");
}

/** An error of the file system or of SQLite while the copy was written. */
function explainTargetError(error: unknown, file: string): unknown {
  if (error instanceof CliError) return error;
  const code = errorCodeOf(error);
  if (code === "EEXIST") return existingFileError(file);
  const reason = code === "ENOENT" ? "its folder does not exist" : describeFileError(error);
  if (reason === undefined) return explainDatabaseError(error, file, CALENDARS);
  return configurationError(`cannot write the backup ${file}: ${reason}`, { cause: error });
}
