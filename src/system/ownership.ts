import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { type CliError, configurationError, errorCodeOf } from "../errors.js";

type Ownership = Pick<Stats, "uid" | "mode">;

/** Whether only this user can write to it. @param userId null on Windows, where the location ensures that */
export function isPrivate({ uid, mode }: Ownership, userId: number | null): boolean {
  return userId === null || (uid === userId && !isWritableByOthers(mode));
}

function isWritableByOthers(mode: number): boolean {
  return (mode & 0o022) !== 0;
}

/** Whether only this user can change what is in it. A link to a folder is none. @throws the file system's error */
export function isPrivateFolder(folder: string, userId: number | null): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && isPrivate(stats, userId);
}

/** Why a file is not trusted. */
type Distrust = "other_owner" | "writable_by_others";

/**
 * Reads a file that decides what the program does. It must belong to the user, or to root, who manages the files of some
 * users, and so must a link to it; nobody else may be able to write to it.
 * @param userId null on Windows, where the location ensures that
 * @throws the file system's error
 */
export function readTrustedFile(
  path: string,
  userId: number | null,
): { readonly text: string } | { readonly distrust: Distrust } {
  const link = lstatSync(path);
  const file = openSync(path, "r");
  try {
    const distrust = judge(link, fstatSync(file), userId);
    return distrust === null ? { text: withoutByteOrderMark(readFileSync(file, "utf8")) } : { distrust };
  } finally {
    closeSync(file);
  }
}

/** @param target what the path leads to; undefined for a link to nothing that can be reached */
function judge(link: Ownership, target: Ownership | undefined, userId: number | null): Distrust | null {
  if (userId === null) return null;
  if (!isTrusted(link, userId) || !isTrusted(target ?? link, userId)) return "other_owner";
  return target !== undefined && isWritableByOthers(target.mode) ? "writable_by_others" : null;
}

/** A file or folder that the program keeps, as messages name it. */
export interface KeptPlace {
  readonly noun: "configuration" | "database" | "state database" | "folder";
  readonly path: string;
  /** Names another folder. */
  readonly variable: "CALCTL_CONFIG_DIR" | "CALCTL_DATA_DIR" | "CALCTL_STATE_DIR" | "CALCTL_CACHE_DIR";
}

/**
 * The path of what the program may open or create for writing, by the rule of `readTrustedFile`. What is missing is created
 * as the user's own.
 * @param isShared whether others may write to it
 * @param userId null on Windows
 * @throws CliError configuration where another user could have chosen what would be written
 */
export function requireOwn(place: KeptPlace, userId: number | null, { isShared = false } = {}): string {
  const distrust = findDistrust(place.path, userId);
  if (distrust === null || (isShared && distrust === "writable_by_others")) return place.path;
  throw distrustedError(place, distrust);
}

/** Null for what is missing, and for what cannot be reached: opening it explains why. */
function findDistrust(path: string, userId: number | null): Distrust | null {
  const link = statIfReachable(lstatSync, path);
  return link === undefined ? null : judge(link, statIfReachable(statSync, path), userId);
}

function statIfReachable(read: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

/** What to do about a file or folder that is not trusted. */
export function distrustedError({ noun, path, variable }: KeptPlace, distrust: Distrust): CliError {
  const what = `the ${noun} ${path} is not used:`;
  switch (distrust) {
    case "other_owner":
      return configurationError(`${what} it belongs to another user`, {
        hint: `run calctl as that user, or with a folder of your own: sudo -H, HOME or ${variable}`,
      });
    case "writable_by_others":
      return configurationError(`${what} other users can write to it`, {
        hint: `look at what is in it, then chmod go-w ${path}; ${variable} names another folder`,
      });
  }
}

/** Whether it belongs to the user, or to root. */
function isTrusted({ uid }: Ownership, userId: number | null): boolean {
  return userId === null || uid === userId || uid === 0;
}

/**
 * Who else than the user and root can change a file with a secret, or read one that the user made. Null when nobody can,
 * and for what is no regular file: a pipe delivers what its writer chose. Files for containers may belong to anyone, but
 * are read-only for all (0444), or are on a file system that is.
 * @param file of the file that was opened
 * @param userId null on Windows, where the location ensures that
 * @throws the file system's error
 */
export function findSecretExposure(
  path: string,
  file: Stats,
  userId: number | null,
): Distrust | "readable_by_others" | null {
  if (userId === null || !file.isFile()) return null;
  const isWritableByOwner = (file.mode & 0o200) !== 0;
  const link = lstatSync(path);
  const isForeign =
    (link.isSymbolicLink() && !isTrusted(link, userId)) || (isWritableByOwner && !isTrusted(file, userId));
  if (isForeign && !isOnReadOnlyDisk(path)) return "other_owner";
  if (isWritableByOthers(file.mode) && !isOnReadOnlyDisk(path)) return "writable_by_others";
  const isLoose = file.uid === userId && isWritableByOwner && (file.mode & 0o044) !== 0;
  return isLoose ? "readable_by_others" : null;
}

/** Whether the file system of a file is mounted read-only. Root alone learns it of every file. */
export function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return errorCodeOf(error) === "EROFS";
  }
}

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

/** The text of a file without the byte order mark that some editors of Windows put in front of it. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

/** Name of the system's user; `me` in a container whose user has none. */
export function systemUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return "me";
  }
}
