import { chmodSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Creates a temporary folder that other users may enter, as programs that run as one of them need. It is in the folder for
 * temporary files, if that is not private.
 */
export function createFolderForOthers(prefix: string): string {
  const parent = [tmpdir(), "/tmp", "/var/tmp"].find(mayBeEntered);
  if (parent === undefined)
    throw new Error("there is no folder for temporary files that other users may enter");
  const folder = mkdtempSync(join(parent, prefix));
  chmodSync(folder, 0o755);
  return folder;
}

/** Whether everybody may enter a folder and those above it. */
function mayBeEntered(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o001) === 0) return false;
  return dirname(folder) === folder || mayBeEntered(dirname(folder));
}
