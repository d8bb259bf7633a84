import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCodeOf } from "../errors.js";

/**
 * Makes a folder for its owner alone (0700), and those above it that are not there. Level by level: below /proc, where
 * nothing can be made, a recursive mkdir of Node tries for ever.
 * @throws the file system's error where it cannot be made
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
