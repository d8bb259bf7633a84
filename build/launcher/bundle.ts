import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { compilePart, createLoader, type Part } from "./part.js";
import { loadSqliteLibrary, SQLITE_PACKAGE } from "./sqlite-library.js";

/**
 * Defined by the build: file name of each part with the CRC-32 of its code cache, the part and the place of the chunk
 * that is the program, V8 version and platform of the caches.
 */
declare const __PARTS__: Readonly<Record<string, readonly [file: string, checksum: number]>>;
declare const __ENTRY__: readonly [part: string, index: number];
declare const __CACHE_TARGET__: string;

/**
 * Runs the program in `folder`. It is split into parts, so that a command reads only those that it uses, and each has a
 * code cache, since compiling takes longer than running. The build makes the caches for its own version of Node; for any
 * other version, and in a package, which comes without them, the first runs make them.
 * @param require of a CommonJS module in the folder
 */
export async function runBundle(folder: string, require: NodeJS.Require): Promise<void> {
  const runPart = hasBuiltCaches(folder) ? runWithBuiltCache : await loadOwnCaches();
  const loadChunk = createLoader(
    (name) => (name === SQLITE_PACKAGE ? loadSqliteLibrary(folder) : undefined) ?? require(name),
    (name) => {
      const [file, checksum] = __PARTS__[name] ?? [name, 0];
      return runPart(join(folder, file), checksum);
    },
  );
  loadChunk(...__ENTRY__);
}

type RunPart = (path: string, checksum: number) => Part;

/** Whether the build made the caches for this Node, and they were not left out. */
function hasBuiltCaches(folder: string): boolean {
  if (__CACHE_TARGET__ !== `${process.versions.v8} ${process.platform} ${process.arch}`) return false;
  const [file] = __PARTS__[__ENTRY__[0]] ?? [""];
  return existsSync(join(folder, `${file}.cache`));
}

function runWithBuiltCache(path: string, checksum: number): Part {
  return compile(path, readBuiltCache(`${path}.cache`, checksum)).runInThisContext();
}

/** Undefined when it is missing, or damaged, which would crash V8. */
function readBuiltCache(path: string, checksum: number): Buffer | undefined {
  try {
    const cache = readFileSync(path);
    return crc32(cache) === checksum ? cache : undefined;
  } catch {
    return undefined;
  }
}

/** Loaded only when needed: `node:v8` takes 3 ms. */
async function loadOwnCaches(): Promise<RunPart> {
  const { openCodeCache } = await import("./code-cache.js");
  return (path) => {
    const cache = openCodeCache(basename(path), process);
    const script = compile(path, cache?.data);
    // At exit, because V8 compiles functions when they are first called.
    if (cache !== null) process.once("exit", () => cache.update(script));
    return script.runInThisContext();
  };
}

function compile(path: string, cachedData: Buffer | undefined): Script {
  return compilePart(path, readFileSync(path), cachedData);
}
