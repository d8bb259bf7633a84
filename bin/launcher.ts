#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";
import { BROWSER_HELPER_ARGUMENT, runBrowserHelper } from "../src/auth/browser/browser-helper.js";
import { VERSION } from "../src/version.js";

/** Name of the bundled program beside this file, and the CRC-32 of its code cache. */
declare const __PROGRAM__: string;
declare const __CACHE_CHECKSUM__: number;

/**
 * Runs the bundled program from the code cache that the build made beside it: compiling it anew at every start
 * takes longer than all it does. Another version of Node refuses the cache, and compiles.
 */
function launch(): void {
  const path = join(__dirname, __PROGRAM__);
  const cachedData = readCache(`${path}.cache`);
  const script = new Script(readFileSync(path, "latin1"), {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const program: (require: NodeJS.Require) => void = script.runInThisContext();
  program(createRequire(path));
}

/** Undefined when it is not there or not whole: V8 does not survive a damaged one. */
function readCache(path: string): Buffer | undefined {
  try {
    const cache = readFileSync(path);
    return crc32(cache) === __CACHE_CHECKSUM__ ? cache : undefined;
  } catch {
    return undefined;
  }
}

/** Scripts ask for it all the time: answered before anything is loaded. */
function printVersion(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    process.stderr.write(`error: stdout could not be written (${error.code})\n`);
  });
  process.stdout.write(`${VERSION}\n`);
}

const [first, ...others] = process.argv.slice(2);
if (others.length === 0 && (first === "--version" || first === "-V")) printVersion();
// Here and not in the program: what comes out of a code cache cannot import() an ES module from outside.
else if (first === BROWSER_HELPER_ARGUMENT) void runBrowserHelper(process.stdin);
else launch();
