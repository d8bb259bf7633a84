import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file, or a folder without content. */
interface Entry {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer | null;
}

/** All that is in a folder, each folder before what is in it. */
export function readFolder(folder: string): readonly Entry[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().map((path) => {
    const found = statSync(join(folder, path));
    const content = found.isDirectory() ? null : readFileSync(join(folder, path));
    return { path, mode: found.mode & 0o777, content };
  });
}

/** Writes what was read of one folder into another. */
export function writeFolder(folder: string, entries: readonly Entry[]): void {
  for (const { path, mode, content } of entries) {
    if (content === null) mkdirSync(join(folder, path), { mode });
    else writeFileSync(join(folder, path), content, { mode });
  }
}
