import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  readonly path: string;
  readonly mode: number;
  /** Null for a folder; a string if it contains the path of the folder that was read. */
  readonly content: Buffer | string | null;
}

/** The contents of a folder; each subfolder comes before its own contents. */
export interface FolderCopy {
  readonly folder: string;
  readonly entries: readonly Entry[];
}

export function readFolder(folder: string): FolderCopy {
  const entries = (readdirSync(folder, { recursive: true }) as string[]).sort().map((path) => {
    const found = statSync(join(folder, path));
    const mode = found.mode & 0o777;
    if (found.isDirectory()) return { path, mode, content: null };
    const content = readFileSync(join(folder, path));
    return { path, mode, content: content.includes(folder) ? content.toString("latin1") : content };
  });
  return { folder, entries };
}

/** Writes a copy into another folder; where a file contains the path of the first folder, it gets that of the other one. */
export function writeFolder(into: string, { folder, entries }: FolderCopy): void {
  for (const { path, mode, content } of entries) {
    const target = join(into, path);
    if (content === null) mkdirSync(target, { mode });
    else
      writeFileSync(target, typeof content === "string" ? content.replaceAll(folder, into) : content, {
        ...{ mode, encoding: "latin1" },
      });
  }
}
