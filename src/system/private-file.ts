import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCodeOf } from "../errors.js";

/**
 * Creates a folder that only its owner can use (0700), and its missing parents. Level by level, because a recursive
 * mkdir of Node never returns below /proc, where nothing can be created.
 * @throws the file system's error
 */
export function makePrivateFolder(folder: string): void {
  const parent = dirname(folder);
  if (parent === folder || existsSync(folder)) return;
  makePrivateFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
}

/** Drafts younger than this (ms) may belong to a process that is still writing. */
const DRAFT_STALE_AFTER = 60_000;

/**
 * Replaces a file atomically with one that only its owner can read (0600), and creates its folder (0700) if missing.
 * Drafts of the same file that killed processes left behind are removed.
 * @param draftSuffix makes the draft's name unique
 * @throws the file system's error; the file is then as it was, and the draft is removed
 */
export async function writePrivateFile(
  path: string,
  text: string,
  draftSuffix: string = randomBytes(8).toString("hex"),
): Promise<void> {
  makePrivateFolder(dirname(path));
  const draft = draftPrefix(path) + draftSuffix;
  // Fails if the name exists, so nobody can have put a link there.
  const handle = await open(draft, "wx", 0o600);
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
    await removeDrafts(path, createdAt - DRAFT_STALE_AFTER);
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes the drafts of a file.
 * @param before only those last written before this time, in milliseconds since the Unix epoch
 * @throws the file system's error
 */
export async function removeDrafts(path: string, before = Number.POSITIVE_INFINITY): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const draft = join(dirname(path), name);
    if (!draft.startsWith(draftPrefix(path))) continue;
    try {
      if ((await stat(draft)).mtimeMs < before) await unlink(draft);
    } catch (error) {
      // Its process has just finished.
      if (errorCodeOf(error) !== "ENOENT") throw error;
    }
  }
}

function draftPrefix(path: string): string {
  return join(dirname(path), `.${basename(path)}.`);
}
