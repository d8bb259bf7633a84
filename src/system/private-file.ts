import { randomBytes } from "node:crypto";
import { lstat, open, readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCodeOf } from "../errors.js";
import { sleepFor } from "./clock.js";
import { makePrivateFolder } from "./ownership.js";

/** Temporary files younger than this (ms) may belong to a process that is still writing. */
const STALE_AFTER = 60_000;

/**
 * Replaces a file atomically with one that only its owner can read (0600), and creates its folder (0700) if missing.
 * Temporary files that killed processes left behind are removed.
 * @param suffix makes the name of the temporary file unique
 * @throws the file system's error; the file is then unchanged, and the temporary file is removed
 */
export async function writePrivateFile(
  path: string,
  text: string,
  suffix: string = randomBytes(8).toString("hex"),
): Promise<void> {
  makePrivateFolder(dirname(path));
  const temporary = temporaryPrefix(path) + suffix;
  // Fails if the name exists, so it never follows a link that another user created.
  const handle = await open(temporary, "wx", 0o600);
  try {
    let createdAt: number;
    try {
      // An unusual umask may have removed the owner's own rights.
      await handle.chmod(0o600);
      await handle.writeFile(text);
      await handle.sync();
      createdAt = (await handle.stat()).mtimeMs;
    } finally {
      await handle.close();
    }
    // By the file system's clock, which is not always that of this machine.
    await removeTemporaryFiles(path, createdAt - STALE_AFTER);
    await replaceFile(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Pauses (ms) before a file is replaced again; others have it open for far less than their sum. */
const REPLACE_DELAYS = [10, 20, 40, 80, 160, 320, 640];

/** What Windows says of a file that another process has open, if only to read it. */
const OPEN_ELSEWHERE: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);

/**
 * Renames a file to one that may exist, again while others have that one open on Windows.
 * @param move replaced in tests
 * @throws the file system's error
 */
export async function replaceFile(
  from: string,
  to: string,
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  for (const delay of REPLACE_DELAYS) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!OPEN_ELSEWHERE.has(errorCodeOf(error))) throw error;
    }
    await sleepFor(delay);
  }
  await move(from, to);
}

/**
 * Removes the temporary files of a file.
 * @param before only those last written before this time, in milliseconds since the Unix epoch
 * @throws the file system's error
 */
export async function removeTemporaryFiles(path: string, before = Number.POSITIVE_INFINITY): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const temporary = join(dirname(path), name);
    if (!temporary.startsWith(temporaryPrefix(path)) || !SUFFIX.test(temporary)) continue;
    try {
      const stats = await lstat(temporary);
      if (stats.isFile() && stats.mtimeMs < before) await unlink(temporary);
    } catch (error) {
      // Its process has just finished.
      if (errorCodeOf(error) !== "ENOENT") throw error;
    }
  }
}

/** What `writePrivateFile` puts after the prefix. */
const SUFFIX = /\.[0-9a-f]{16}$/;

function temporaryPrefix(path: string): string {
  return join(dirname(path), `.${basename(path)}.`);
}
