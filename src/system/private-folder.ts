import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCodeOf } from "../errors.js";
import { type InnerFolder, requireInnerFolder, requirePrivateFolder } from "./ownership.js";

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

/**
 * Creates a folder inside one of the program's folders, which is created too, and returns its path.
 * @throws Error where others could have put files or links, and the file system's error
 */
export function makeInnerFolder(folder: InnerFolder): string {
  const { parent, name, userId } = folder;
  makePrivateFolder(parent);
  // Before something is created in it.
  requirePrivateFolder(parent, userId);
  makePrivateFolder(join(parent, name));
  return requireInnerFolder(folder);
}
