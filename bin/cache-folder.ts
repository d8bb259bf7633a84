import { lstatSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { resolveDirectories } from "../src/config/directories.js";

/** What the cache folder of the program depends on. */
export interface CacheFolderOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: string;
}

/** Null without a home folder, and for a relative path, which would depend on the current folder. */
export function cacheFolder({ env, platform }: CacheFolderOptions): string | null {
  const folder = attempt(() => resolveDirectories({ env, platform, home: homedir }).cache());
  return folder !== null && isAbsolute(folder) ? folder : null;
}

/** Whether only the user can change what is in it. @throws the file system's error */
export function isPrivateFolder(folder: string): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && isPrivate(stats);
}

/** Whether only the user can write to it. On Windows the location of the folder ensures that. */
export function isPrivate({ uid, mode }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || (uid === user && (mode & 0o022) === 0);
}

/** Null when it throws. */
export function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
