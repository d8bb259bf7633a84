import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getRawAsset } from "node:sea";
import { isPrivateFolder, makePrivateFolder } from "../../src/system/ownership.js";
import { cacheFolder, currentUser } from "./cache-folder.js";
import { compilePart, createLoader } from "./part.js";

/** Defined by the build: file name of each part, and the part and the place of the chunk that is the program. */
declare const __PARTS__: Readonly<Record<string, string>>;
declare const __ENTRY__: readonly [part: string, index: number];

/** In a single executable it finds Node's own modules alone. */
declare const require: NodeJS.Require;

/**
 * Runs the program of a single executable. Its parts and their code caches are in the executable, which is the one that
 * made the caches.
 */
export function runEmbedded(): void {
  const loadChunk = createLoader(
    (name) => (name === "keytar" ? loadKeychainLibrary() : require(name)),
    (name) => {
      const script = compilePart(__PARTS__[name] ?? name, readAsset(name), readAsset(`${name}.cache`));
      return script.runInThisContext();
    },
  );
  loadChunk(...__ENTRY__);
}

/** The bytes in the executable itself, not a copy. They cannot be written to. */
function readAsset(name: string): Buffer {
  // Its type has a string, which it never returns.
  return Buffer.from(getRawAsset(name) as ArrayBuffer);
}

/**
 * Loads the native library from a file that exists only meanwhile: the system loads none from memory. The file is in a new
 * folder of the user's own cache folder, so that nobody else can replace it.
 * @throws Error without such a folder, or with the system's reason
 */
function loadKeychainLibrary(): unknown {
  const parent = cacheFolder(process);
  if (parent === null) throw new Error("there is no cache folder to load the keychain's library from");
  makePrivateFolder(parent);
  if (!isPrivateFolder(parent, currentUser())) throw new Error(`other users can write to ${parent}`);
  const folder = mkdtempSync(join(parent, "keychain-"));
  try {
    const path = join(folder, "keytar.node");
    writeFileSync(path, readAsset("keytar.node"), { mode: 0o600 });
    const library = { exports: {} };
    process.dlopen(library, path);
    return library.exports;
  } finally {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Windows keeps a library that is loaded.
    }
  }
}
