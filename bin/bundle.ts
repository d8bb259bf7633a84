import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";
import type { CodeCache } from "./code-cache.js";

/** Set by the build: file name of the bundled program; CRC-32 of its code cache, and the V8 and platform that made it. */
declare const __PROGRAM__: string;
declare const __CACHE_CHECKSUM__: number;
declare const __CACHE_MAKER__: string;

/**
 * Runs the bundled program in `folder` from a code cache, since compiling it takes longer than running it: the cache
 * that the build made beside it, or for another Node the one that its own first runs made.
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
  // Functions are compiled when they are first called: at the end those that a run needs are there.
  if (ownCache !== null) process.once("exit", () => ownCache.update(script));
}

/** Loaded when needed: `node:v8` takes 3 ms. */
async function openOwnCache(): Promise<CodeCache | null> {
  const { openCodeCache } = await import("./code-cache.js");
  return openCodeCache(__PROGRAM__, process);
}

/** Undefined when it is another Node's, not there, or not whole: V8 does not survive a damaged one. */
function readBuiltCache(path: string): Buffer | undefined {
  if (__CACHE_MAKER__ !== `${process.versions.v8} ${process.platform} ${process.arch}`) return undefined;
  try {
    const cache = readFileSync(path);
    return crc32(cache) === __CACHE_CHECKSUM__ ? cache : undefined;
  } catch {
    return undefined;
  }
}
