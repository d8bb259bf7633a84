// Runs the bundled program once and writes what V8 has compiled by then: `node code-cache.cjs PROGRAM CACHE ARG…`.
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
// Functions are compiled when they are first called: at the end those that a run needs are there.
process.on("exit", () => writeFileSync(cache, script.createCachedData()));
