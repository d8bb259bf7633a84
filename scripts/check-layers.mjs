// Holds the layers of the program: who may import whom at run time, which package enters where, and who knows the process.
// For layers `import type` is free: esbuild drops it, so what is looked at is what runs. Loops are looked for in types, too.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { bundle } from "./build.mjs";
import { runIfEntry } from "./entry.mjs";

/** Each layer with the layers it may load. Its own files and `version` are always free. */
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
  api: ["contract", "system", "errors"],
  auth: ["contract", "config", "system", "html", "errors"],
  service: ["contract", "calendar", "system", "html", "errors"],
  context: [],
  commands: ["errors", "calendar", "output"],
  program: ["commands", "context", "output", "errors"],
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
    "api",
    "auth",
    "service",
    "context",
    "program",
    "run",
  ],
  bin: ["run", "host", "auth", "config", "system", "errors"],
};

/** Files that fewer may load than their layer: the file, who may, why. */
const GUARDED_FILES = [
  {
    file: "src/api/network/transport.ts",
    importers: ["host"],
    reason: "the transport is a seam: only host picks what stands behind it",
  },
];

/** Each of these packages is loaded by one file, so that it can be replaced there. */
const SINGLE_IMPORTER_PACKAGES = ["undici", "keytar", "libsql", "conf", "chalk", "cli-table3", "open"];

/** Globals that only the outermost files may touch, with what the others do instead. */
const OUTER_GLOBALS = {
  process: "take what you need as an argument",
  console: "hand the value to the output, or throw",
  "Date.now": "take the clock as an argument",
  "new Date()": "take the clock as an argument",
  "Math.random": "take randomness as an argument",
  fetch: "send through the transport",
  Request: "use the transport's plain data: loading the global costs start-up time",
  Response: "use the transport's plain data: loading the global costs start-up time",
  Headers: "use the transport's plain data: loading the global costs start-up time",
  globalThis: "name the global itself, so that this check sees it",
};

const OUTER_FILES = /^(bin\/|src\/host\/|src\/system\/clock\.ts$|src\/auth\/stores\/keychain-helper\.ts$)/;

/** Modules that are another door to the globals above. */
const OUTER_MODULES = { "node:process": "process", "node:console": "console" };

/** Every violation below `root`, the folder that holds `bin` and `src`: one line each, sorted. */
async function findViolations(root) {
  const imports = await runtimeImports(root);
  const files = [...imports.keys()];
  const strangers = files.filter((file) => layerOf(file) === undefined);
  if (strangers.length > 0)
    return strangers.map((file) => `${file}: give it a layer in scripts/check-layers.mjs`);
  const wrong = files.flatMap((file) => imports.get(file).flatMap((target) => wrongImport(file, target)));
  const globals = await Promise.all(files.map((file) => outerGlobals(root, file)));
  const loops = importLoops(files, (file) => staticImports(root, file));
  return [...wrong, ...crowdedPackages(imports), ...globals.flat(), ...loops].sort();
}

/** Each source file with what it loads: files of ours by their path from `root`, packages by their name. */
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

function wrongImport(file, target) {
  const from = layerOf(file);
  const say = (reason) => [`${file} -> ${target}: ${reason}`];
  const global = OUTER_MODULES[target];
  if (global !== undefined && !OUTER_FILES.test(file)) return say(OUTER_GLOBALS[global]);
  const to = layerOf(target);
  if (to === undefined) return [];
  const guard = GUARDED_FILES.find((guarded) => guarded.file === target);
  if (guard !== undefined && !guard.importers.includes(from)) return say(guard.reason);
  if (from === to || to === "version" || LAYERS[from].includes(to)) return [];
  return say(`${from} may import ${LAYERS[from].join(", ") || "nothing of ours"}, not ${to}`);
}

/** `src/api/client.ts` is in `api`, `src/run.ts` is `run`; undefined for packages and files without a layer. */
function layerOf(path) {
  if (path.startsWith("bin/")) return "bin";
  const name = /^src\/([a-z-]+)(?:\/|\.ts$)/.exec(path)?.[1];
  return name !== undefined && Object.hasOwn(LAYERS, name) ? name : undefined;
}

const STATIC_IMPORT = /^(?:import|export)\b[^;"']*?\bfrom\s+"(\.[^"]+)"/gm;

/** The files of ours that a file imports statically, `import type` included. Biome keeps imports in this shape. */
function staticImports(root, file) {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(STATIC_IMPORT)].map(([, specifier]) =>
    posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts"),
  );
}

/**
 * One line for each group of files that import each other in a circle, types included: none of them can be read,
 * or moved, without the others. (Tarjan's strongly connected components.)
 */
function importLoops(files, importsOf) {
  const known = new Set(files);
  const index = new Map();
  const low = new Map();
  const stack = [];
  const loops = [];
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
    if (group.length > 1)
      loops.push(`${group.join(", ")}: these import each other in a circle, types included`);
  };
  for (const file of files) if (!index.has(file)) visit(file);
  return loops;
}

function crowdedPackages(imports) {
  return SINGLE_IMPORTER_PACKAGES.flatMap((name) => {
    const isOfPackage = (target) => target === name || target.startsWith(`${name}/`);
    const importers = [...imports.keys()].filter((file) => imports.get(file).some(isOfPackage));
    if (importers.length < 2) return [];
    return importers.map(
      (file) => `${file} -> ${name}: one file alone may import it, and these do: ${importers.join(", ")}`,
    );
  });
}

/**
 * Lets esbuild rename each global: it knows scopes, so a local or a property of the same name is not meant,
 * and types, comments and strings are out of the way.
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
