// Checks which layers import which at run time, which file imports which package, which files use globals of the
// process, and that there are no import cycles. Only for cycles `import type` counts; for layers, esbuild drops it.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { bundle } from "./build.mjs";
import { runIfEntry } from "./entry.mjs";

/** The layers that each layer may import. Its own files and `version` are always allowed. */
const LAYERS = {
  contract: [],
  errors: [],
  version: [],
  html: [],
  system: ["contract", "errors"],
  calendar: ["contract", "errors"],
  config: ["contract", "system", "errors"],
  output: ["contract", "calendar", "errors"],
  terminal: ["contract", "output", "system", "errors"],
  messages: ["contract", "html", "config", "calendar", "output", "system", "errors"],
  ledger: ["contract", "system", "errors"],
  cache: ["contract", "system", "errors"],
  api: ["contract", "system", "errors"],
  auth: ["contract", "config", "system", "html", "errors"],
  service: ["contract", "calendar", "system", "html", "errors"],
  context: [],
  completion: ["calendar", "config", "cache", "output", "help"],
  "global-flags": ["config", "errors"],
  commands: ["errors", "global-flags", "help", "calendar", "output", "messages"],
  help: ["global-flags", "config", "output", "errors"],
  program: ["commands", "global-flags", "help", "context", "output", "errors"],
  run: ["program", "failure-report", "context", "output", "errors"],
  "failure-report": ["config", "contract", "output", "errors"],
  host: [
    "contract",
    "errors",
    "html",
    "system",
    "calendar",
    "config",
    "output",
    "terminal",
    "messages",
    "ledger",
    "cache",
    "api",
    "auth",
    "service",
    "context",
    "program",
    "run",
  ],
  bin: ["run", "program", "commands", "help", "completion", "host", "auth", "config", "system", "errors"],
};

/** Files that fewer layers may import than the rest of their layer. */
const RESTRICTED_FILES = [
  {
    file: "src/api/network/transport.ts",
    importers: ["host"],
    reason: "only host chooses the transport",
  },
];

/** Packages that only one file may import, so that they are easy to replace. */
const SINGLE_IMPORTER_PACKAGES = [
  "undici",
  "keytar",
  "@photostructure/sqlite",
  "conf",
  "chalk",
  "cli-table3",
  "open",
  "prom-client",
];

/** Globals that only the outermost files may use, and what the others do instead. */
const OUTER_GLOBALS = {
  process: "take what you need as an argument",
  console: "pass the value to the output, or throw",
  "Date.now": "take the clock as an argument",
  "new Date()": "take the clock as an argument",
  "Math.random": "take randomness as an argument",
  fetch: "send through the transport",
  Request: "use the transport's plain data: loading the global costs start-up time",
  Response: "use the transport's plain data: loading the global costs start-up time",
  Headers: "use the transport's plain data: loading the global costs start-up time",
  globalThis: "use the global directly, so that this check finds it",
};

/** The last two ask Node for its SQLite and for its version. */
const OUTER_FILES =
  /^(bin\/|src\/host\/|src\/system\/clock\.ts$|src\/auth\/stores\/keychain-helper\.ts$|src\/system\/(?:sqlite\/driver|wasm-optimization)\.ts$)/;

/** Modules that export the globals above. */
const OUTER_MODULES = { "node:process": "process", "node:console": "console" };

/** One sorted line for each violation. @param root the folder with `bin` and `src` */
async function findViolations(root) {
  const imports = await runtimeImports(root);
  const files = [...imports.keys()];
  const unknown = files.filter((file) => layerOf(file) === undefined);
  if (unknown.length > 0)
    return unknown.map((file) => `${file}: give it a layer in scripts/check-layers.mjs`);
  const layers = files.flatMap((file) => imports.get(file).flatMap((target) => layerViolation(file, target)));
  const globals = await Promise.all(files.map((file) => outerGlobals(root, file)));
  const cycles = importCycles(files, (file) => staticImports(root, file));
  return [...layers, ...packageViolations(imports), ...globals.flat(), ...cycles].sort();
}

/** What each source file imports at run time: our files by their path from `root`, packages by name. */
async function runtimeImports(root) {
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: [...sourcesIn(root, "bin"), ...sourcesIn(root, "src")],
    packages: "external",
  });
  const inputs = Object.entries(metafile.inputs).sort();
  return new Map(inputs.map(([file, input]) => [file, input.imports.map((edge) => edge.path)]));
}

function sourcesIn(root, folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}

function layerViolation(file, target) {
  const from = layerOf(file);
  const violation = (reason) => [`${file} -> ${target}: ${reason}`];
  const global = OUTER_MODULES[target];
  if (global !== undefined && !OUTER_FILES.test(file)) return violation(OUTER_GLOBALS[global]);
  const to = layerOf(target);
  if (to === undefined) return [];
  const restricted = RESTRICTED_FILES.find(({ file: path }) => path === target);
  if (restricted !== undefined && !restricted.importers.includes(from)) return violation(restricted.reason);
  if (from === to || to === "version" || LAYERS[from].includes(to)) return [];
  return violation(`${from} may import ${LAYERS[from].join(", ") || "no layer"}, not ${to}`);
}

/** `src/api/client.ts` is in `api`, `src/run.ts` is `run`; undefined for packages and files without a layer. */
function layerOf(path) {
  if (path.startsWith("bin/")) return "bin";
  const name = /^src\/([a-z-]+)(?:\/|\.ts$)/.exec(path)?.[1];
  return name !== undefined && Object.hasOwn(LAYERS, name) ? name : undefined;
}

const STATIC_IMPORT = /^(?:import|export)\b[^;"']*?\bfrom\s+"(\.[^"]+)"/gm;

/** Our files that a file imports statically, including `import type`. Relies on Biome's format of imports. */
function staticImports(root, file) {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(STATIC_IMPORT)].map(([, specifier]) =>
    posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts"),
  );
}

/**
 * One line for each group of files that import each other, including types: Tarjan's strongly connected components.
 */
function importCycles(files, importsOf) {
  const known = new Set(files);
  const index = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const target of importsOf(file)) {
      if (!known.has(target)) continue;
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file)).sort();
    if (group.length > 1) cycles.push(`${group.join(", ")}: these import each other (types included)`);
  };
  for (const file of files) if (!index.has(file)) visit(file);
  return cycles;
}

function packageViolations(imports) {
  return SINGLE_IMPORTER_PACKAGES.flatMap((name) => {
    const isOfPackage = (target) => target === name || target.startsWith(`${name}/`);
    const importers = [...imports.keys()].filter((file) => imports.get(file).some(isOfPackage));
    if (importers.length < 2) return [];
    return importers.map(
      (file) => `${file} -> ${name}: only one file may import it, but these do: ${importers.join(", ")}`,
    );
  });
}

/**
 * Finds globals by letting esbuild rename them: it ignores locals and properties of the same name, types, comments and
 * strings.
 */
async function outerGlobals(root, file) {
  if (OUTER_FILES.test(file)) return [];
  const names = Object.keys(OUTER_GLOBALS).filter((name) => !name.startsWith("new "));
  const define = Object.fromEntries([...names, "Date"].map((name) => [name, markerOf(name)]));
  const source = readFileSync(join(root, file), "utf8");
  const { code } = await transform(source, { loader: "ts", define, legalComments: "none" });
  const used = names.filter((name) => new RegExp(`\\b${markerOf(name)}\\b`).test(code));
  if (code.includes(`new ${markerOf("Date")}()`)) used.push("new Date()");
  return used.map((name) => `${file} uses ${name}: ${OUTER_GLOBALS[name]}`);
}

function markerOf(name) {
  return `__outer_${name.replace(".", "_")}`;
}

async function main() {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
  const violations = await findViolations(root);
  for (const line of violations) console.log(line);
  if (violations.length > 0) process.exitCode = 1;
}

await runIfEntry(import.meta.url, main);
