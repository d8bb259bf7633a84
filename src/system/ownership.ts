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
import { dirname, join } from "node:path";
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

/** A folder inside one of the program's folders. */
export interface InnerFolder {
  readonly parent: string;
  readonly name: string;
  /** Null on Windows. */
  readonly userId: number | null;
}

/**
 * The path of a folder whose files the program may read and remove by their names.
 * @throws Error where others could have put files or links, and the file system's error without a folder
 */
export function requireInnerFolder({ parent, name, userId }: InnerFolder): string {
  const path = join(parent, name);
  for (const folder of [parent, path]) requirePrivateFolder(folder, userId);
  return path;
}

/** @throws Error for any other folder, and the file system's error */
function requirePrivateFolder(folder: string, userId: number | null): void {
  if (isPrivateFolder(folder, userId)) return;
  const isFolder = lstatSync(folder).isDirectory();
  throw new Error(
    `${folder} ${isFolder ? "can be written by other users" : "is no folder, or a link to one"}`,
  );
}

/** Why a file is not trusted. */
export type Distrust = "other_owner" | "writable_by_others";

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

/** A file that the program keeps in one of its folders, as messages name it. */
export interface KeptFile {
  readonly noun: "configuration" | "database" | "ledger";
  readonly path: string;
  /** Names another folder. */
  readonly variable: "CALCTL_CONFIG_DIR" | "CALCTL_DATA_DIR" | "CALCTL_STATE_DIR";
}

/**
 * The path of a file that the program may open or create for writing: by the rule of `readTrustedFile`, for its folder,
 * too. What is missing is created as the user's own. Who else may write to the file itself is not asked.
 * @param userId null on Windows
 * @throws CliError configuration where others could have chosen the file that would be written
 */
export function requireTrustedPlace(file: KeptFile, userId: number | null): string {
  const folder = dirname(file.path);
  const ofFolder = findDistrust(folder, userId);
  if (ofFolder !== null) throw distrustedError({ ...file, noun: "folder", path: folder }, ofFolder);
  if (findDistrust(file.path, userId) === "other_owner") throw distrustedError(file, "other_owner");
  return file.path;
}

/**
 * For a file that is only read as the user's own: who else may write to its folder is not asked.
 * @throws CliError configuration where the folder is another user's, who could not use what would be written there
 */
export function requireOwnFolder(file: KeptFile, userId: number | null): void {
  const path = dirname(file.path);
  if (findDistrust(path, userId) === "other_owner")
    throw distrustedError({ ...file, noun: "folder", path }, "other_owner");
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
export function distrustedError(
  { noun, path, variable }: Omit<KeptFile, "noun"> & { readonly noun: KeptFile["noun"] | "folder" },
  distrust: Distrust,
): CliError {
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
  if (isForeign && !isReadOnly(path)) return "other_owner";
  if (isWritableByOthers(file.mode) && !isReadOnly(path)) return "writable_by_others";
  const isLoose = file.uid === userId && isWritableByOwner && (file.mode & 0o044) !== 0;
  return isLoose ? "readable_by_others" : null;
}

/** Whether its file system is mounted read-only. Root alone learns it of every file. */
function isReadOnly(path: string): boolean {
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

/** The text of a file without the byte order mark that some editors of Windows put in front of it. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
