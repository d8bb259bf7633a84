import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * The path of a program in the folders of PATH, and in further ones after them; undefined where it is in none.
 * Relative folders are left out: they would run whatever is in the current one.
 */
export function findProgram(
  name: string,
  path: string | undefined,
  further: readonly string[] = [],
): string | undefined {
  const folders = [...(path ?? "").split(delimiter).filter((folder) => isAbsolute(folder)), ...further];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** Whether a path is that of a file that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (_missing) {
    return false;
  }
}
