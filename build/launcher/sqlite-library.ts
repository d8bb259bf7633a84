import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/** The package of SQLite, for Node before 22.16. */
export const SQLITE_PACKAGE = "@photostructure/sqlite";

/**
 * Loads the native part of the package, which has everything that the program uses. Node and the package need 2.5 ms
 * to find it.
 * @param folder of the program
 * @returns undefined where it is not as npm installs it, or does not load: the package may have compiled another
 */
export function loadSqliteLibrary(folder: string): unknown {
  // Its libraries for musl have another name.
  if (existsSync("/etc/alpine-release")) return undefined;
  const target = `prebuilds/${process.platform}-${process.arch}`;
  const file = join(SQLITE_PACKAGE, target, "@photostructure+sqlite.glibc.node");
  const path = packageFolders(folder)
    .map((packages) => join(packages, file))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) return undefined;
  const library = { exports: {} };
  try {
    process.dlopen(library, path);
  } catch {
    return undefined;
  }
  return library.exports;
}

/** Where Node looks first: in our package, and where that is installed. */
function packageFolders(folder: string): readonly string[] {
  const [own, shared] = [join(folder, "../node_modules"), join(folder, "../..")];
  return basename(shared) === "node_modules" ? [own, shared] : [own];
}
