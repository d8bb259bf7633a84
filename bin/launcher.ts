#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { VERSION } from "../src/version.js";

/** Name of the bundled program beside this file. */
declare const __PROGRAM__: string;

/**
 * Runs the bundled program from the code cache that the build made beside it: compiling it anew at every start
 * takes longer than all it does. Another version of Node refuses the cache, and compiles.
 */
function launch(): void {
  const path = join(__dirname, __PROGRAM__);
  const cachedData = readIfThere(`${path}.cache`);
  const script = new Script(readFileSync(path, "latin1"), {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const program: (require: NodeJS.Require) => void = script.runInThisContext();
  program(createRequire(path));
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Scripts ask for it all the time: answered before anything is loaded. */
function printVersion(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exitCode = error.code === "EPIPE" ? 0 : 1;
  });
  process.stdout.write(`${VERSION}\n`);
}

const [first, ...others] = process.argv.slice(2);
if (others.length === 0 && (first === "--version" || first === "-V")) printVersion();
else launch();
