import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";
import type { CodeCache } from "./code-cache.js";

/** Defined by the build: file name of the bundle, CRC-32 of its code cache, V8 version and platform of the cache. */
declare const __PROGRAM__: string;
declare const __CACHE_CHECKSUM__: number;
declare const __CACHE_TARGET__: string;

/**
 * Runs the bundled program in `folder` with a code cache, since compiling it takes longer than running it. The build
 * makes a cache for its own version of Node; for any other version the first runs make one.
 */
export async function runBundle(folder: string): Promise<void> {
  const path = join(folder, __PROGRAM__);
  const builtCache = readBuiltCache(`${path}.cache`);
  const ownCache = builtCache === undefined ? await openOwnCache() : null;
  const cachedData = builtCache ?? ownCache?.data;
  const script = new Script(readFileSync(path, "latin1"), {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const program: (require: NodeJS.Require) => void = script.runInThisContext();
  program(createRequire(path));
  // At exit, because V8 compiles functions when they are first called.
  if (ownCache !== null) process.once("exit", () => ownCache.update(script));
}

/** Loaded only when needed: `node:v8` takes 3 ms. */
async function openOwnCache(): Promise<CodeCache | null> {
  const { openCodeCache } = await import("./code-cache.js");
  return openCodeCache(__PROGRAM__, process);
}

/** Undefined when it is for another version of Node, missing, or damaged, which would crash V8. */
function readBuiltCache(path: string): Buffer | undefined {
  if (__CACHE_TARGET__ !== `${process.versions.v8} ${process.platform} ${process.arch}`) return undefined;
  try {
    const cache = readFileSync(path);
    return crc32(cache) === __CACHE_CHECKSUM__ ? cache : undefined;
  } catch {
    return undefined;
  }
}
