import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { resolveDirectories } from "../../src/config/directories.js";

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

/** Null on Windows. */
export function currentUser(): number | null {
  return process.geteuid?.() ?? null;
}

/** Null when it throws. */
export function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
