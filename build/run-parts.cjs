// Runs command lines of the split program in this process, one after the other: `node run-parts.cjs FOLDER OUTPUT RUNS`.
// FOLDER holds the parts and program.json: where the program begins, the files of the parts, and the folder in which
// they will be. RUNS is JSON: [[line, env], …]. At the end, OUTPUT holds the code cache of every part that was loaded.
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { constants, Script } = require("node:vm");

const [folder, output, runs] = process.argv.slice(2);
const program = JSON.parse(readFileSync(join(folder, "program.json"), "utf8"));
const commandLines = JSON.parse(runs);
const scripts = new Map();
const parts = new Map();
const modules = new Map();

function loadPart(name) {
  const file = program.files[name];
  const script = new Script(readFileSync(join(folder, file), "latin1"), {
    filename: join(program.folder, file),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  scripts.set(name, script);
  parts.set(name, script.runInThisContext()(require, loadChunk));
}

function loadChunk(part, index) {
  const key = `${part} ${index}`;
  if (modules.has(key)) return modules.get(key).exports;
  if (!parts.has(part)) loadPart(part);
  const module = { exports: {} };
  modules.set(key, module);
  parts.get(part)[index](module, module.exports);
  return module.exports;
}

function runNext() {
  const [line, env] = commandLines.shift();
  process.argv.splice(1, Infinity, join(folder, "calctl.js"), ...line.split(" "));
  Object.assign(process.env, env);
  modules.delete(program.entry.join(" "));
  loadChunk(...program.entry);
}

// A command has ended when nothing is left to do. One that waits for nothing would end the process, so it is begun later.
process.on("beforeExit", () => {
  if (commandLines.length > 0) setImmediate(runNext);
});
// At exit, because V8 compiles functions when they are first called.
process.on("exit", () => {
  for (const [name, script] of scripts)
    writeFileSync(join(output, `${name}.cache`), script.createCachedData());
});
runNext();
