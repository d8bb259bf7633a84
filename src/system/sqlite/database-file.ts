import { closeSync, fchmodSync, fstatSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCodeOf } from "../../errors.js";
import { makePrivateFolder } from "../ownership.js";

const NOT_A_FILE = "ERR_NOT_A_FILE";

/**
 * Call it before a path is opened: a pipe would block, a device such as /dev/null would get another mode, and a folder can be
 * opened for reading.
 * @throws an error with a code that `describeFileError` explains, if there is something else than a file; the file system's
 */
export function requireFileOrNothing(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw Object.assign(new Error(`${path} is not a file`), {
    code: found.isDirectory() ? "EISDIR" : NOT_A_FILE,
  });
}

/**
 * Creates an empty file (0600) and its folder (0700) where they are missing: SQLite would create one that everyone can
 * read. Its own files beside it get the mode of this one.
 * @throws what `requireFileOrNothing` throws; the file system's error
 */
export function createDatabaseFile(path: string): void {
  requireFileOrNothing(path);
  makePrivateFolder(dirname(path));
  const handle = openSync(path, "a", 0o600);
  try {
    const { size, mode } = fstatSync(handle);
    if (size === 0 && (mode & 0o077) !== 0) fchmodSync(handle, 0o600);
  } finally {
    closeSync(handle);
  }
}

/** Why a file or its folder cannot be opened or created; undefined for other errors. */
export function describeFileError(error: unknown): string | undefined {
  return FILE_REASONS[errorCodeOf(error) ?? ""];
}

/** Whether the file could be opened if its mode, or that of its folder or file system, were another one. */
export function isPermissionError(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS"].includes(errorCodeOf(error) ?? "");
}

const DENIED = "permission denied";

const FILE_REASONS: Readonly<Record<string, string>> = {
  [NOT_A_FILE]: "it is not a file",
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is not a folder",
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  ENOENT: "its folder cannot be created",
  ENAMETOOLONG: "the path is too long",
  ELOOP: "its symbolic links form a loop",
};
