import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";

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
export function requirePrivateFolder(folder: string, userId: number | null): void {
  if (!isPrivateFolder(folder, userId)) throw new Error(`${folder} is a link, or not only this user's`);
}
