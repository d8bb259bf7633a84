// Runs the bundled program once and writes its code cache: `node code-cache.cjs PROGRAM CACHE ARG…`.
const { readFileSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { constants, Script } = require("node:vm");

const [program, cache, ...args] = process.argv.slice(2);
const script = new Script(readFileSync(program, "latin1"), {
  filename: program,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
process.argv.splice(1, Infinity, program, ...args);
script.runInThisContext()(createRequire(program));
// At exit, because V8 compiles functions when they are first called.
process.on("exit", () => writeFileSync(cache, script.createCachedData()));
