// Checks which layers import which, at run time and as types, which file imports which package, and which files use globals of
// the process. `import()` and `import type` count like any other import. Import cycles are found by Biome.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { bundle } from "../build/build.mjs";
import { runIfEntry } from "../build/entry.mjs";

/** The layers that each layer may load. Its own files and `version` are always allowed. */
const LOADS = {
  contract: [],
  errors: [],
  version: [],
  html: ["contract"],
  system: ["contract", "errors"],
  // Rules of dates and of events, which use each other.
  calendar: ["contract", "events", "errors"],
  events: ["contract", "calendar", "errors"],
  import: ["contract", "calendar", "events", "errors"],
  config: ["contract", "system", "errors"],
  output: ["contract", "calendar", "events", "errors"],
  terminal: ["contract", "output", "system", "errors"],
  cache: ["contract", "system", "errors"],
  api: ["contract", "system", "errors"],
  secrets: ["contract", "config", "system", "errors"],
  auth: ["contract", "config", "secrets", "system", "html", "errors"],
  state: ["contract", "system", "errors"],
  messages: ["contract", "html", "calendar", "config", "output", "secrets", "api", "system", "errors"],
  service: ["contract", "calendar", "system", "html", "errors"],
  "service/access": ["service", "config", "output", "system", "terminal", "errors"],
  "service/views": ["output"],
  "service/commands": ["service/access", "service/views", "commands", "cli", "calendar", "output", "errors"],
  commands: [
    ...["cli", "calendar", "events", "import", "output", "messages", "state", "errors"],
    ...["commands/config", "commands/doctor", "commands/import", "commands/mcp"],
    "commands/programs",
  ],
  "commands/config": ["service/access", "calendar", "errors"],
  "commands/doctor": ["config", "messages", "system", "errors"],
  "commands/import": [
    ...[
      "cli",
      "commands",
      "import",
      "calendar",
      "events",
      "contract",
      "output",
      "state",
      "terminal",
      "errors",
    ],
  ],
  "commands/mcp": ["commands", "cli", "calendar", "contract", "output", "terminal", "errors"],
  "commands/programs": ["config", "output", "system", "errors"],
  cli: ["commands", "service/commands", "calendar", "config", "cache", "contract", "output", "errors"],
  run: [
    ...[
      "contract",
      "html",
      "system",
      "calendar",
      "config",
      "output",
      "terminal",
      "messages",
      "state",
      "cache",
      "api",
    ],
    ...["secrets", "auth", "service", "service/access", "cli", "errors"],
  ],
  build: ["cli", "commands", "auth", "config", "system", "errors"],
  bin: ["build", "cli", "run", "secrets", "system", "errors"],
};

/** The layers of which each layer may also have the types. */
const TYPES = {
  config: ["api", "output"],
  output: ["api", "config"],
  terminal: ["api", "config", "service"],
  cache: ["api", "config"],
  events: ["api", "state"],
  auth: ["api", "terminal"],
  messages: ["run", "state"],
  state: ["config", "output"],
  "service/access": ["run"],
  "service/views": ["service", "service/access"],
  "service/commands": ["run", "service", "terminal"],
  commands: ["api", "auth", "cache", "config", "run", "contract", "terminal"],
  "commands/doctor": ["run"],
  "commands/import": ["run", "state"],
  "commands/mcp": ["run"],
  "commands/programs": ["calendar", "run"],
  cli: ["run"],
};

/** Files that fewer layers may import than the rest of their layer. */
const RESTRICTED_FILES = [
  {
    file: "src/api/network/transport.ts",
    importers: ["run"],
    reason: "only run chooses the transport",
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

/** The folders of the program. */
const SOURCES = ["bin", "build", "contract", "service", "src"];

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
  /^(bin\/|build\/|src\/run\/|src\/system\/clock\.ts$|src\/secrets\/keychain-helper\.ts$|src\/system\/(?:sqlite\/driver|v8-flags)\.ts$)/;

/** Modules that export the globals above. */
const OUTER_MODULES = { "node:process": "process", "node:console": "console" };

/** One sorted line for each violation. @param root the folder with `bin` and `src` */
async function findViolations(root) {
  const loads = await runtimeImports(root);
  const files = [...loads.keys()];
  const unknown = files.filter((file) => layerOf(file) === undefined);
  if (unknown.length > 0)
    return unknown.map((file) => `${file}: give it a layer in scripts/check-layers.mjs`);
  const named = new Map(files.map((file) => [file, namedImports(root, file)]));
  const layers = files.flatMap((file) => {
    const loaded = new Set(loads.get(file));
    const types = named.get(file).filter((target) => !loaded.has(target));
    return [
      ...[...loaded].flatMap((target) => loadViolation(file, target)),
      ...types.flatMap((target) => typeViolation(file, target)),
    ];
  });
  const globals = await Promise.all(files.map((file) => outerGlobals(root, file)));
  return [...layers, ...packageViolations(loads), ...globals.flat()].sort();
}

/** What each source file imports at run time: our files by their path from `root`, packages by name. */
async function runtimeImports(root) {
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: SOURCES.flatMap((folder) => sourcesIn(root, folder)),
    packages: "external",
    // Named by the build.
    external: ["./__COMPLETION__"],
  });
  const inputs = Object.entries(metafile.inputs).sort();
  return new Map(inputs.map(([file, input]) => [file, input.imports.map((edge) => edge.path)]));
}

function sourcesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true });
  return names
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".d.ts") && !/^service\/(test|bench)\//.test(name),
    );
}

function loadViolation(file, target) {
  const global = OUTER_MODULES[target];
  if (global !== undefined && !OUTER_FILES.test(file))
    return [`${file} -> ${target}: ${OUTER_GLOBALS[global]}`];
  const [from, to] = [layerOf(file), layerOf(target)];
  if (to === undefined) return [];
  const restricted = RESTRICTED_FILES.find(({ file: path }) => path === target);
  if (restricted !== undefined && !restricted.importers.includes(from))
    return [`${file} -> ${target}: ${restricted.reason}`];
  if (from === to || to === "version" || LOADS[from].includes(to)) return [];
  return [`${file} -> ${target}: ${from} may load ${LOADS[from].join(", ") || "no layer"}, not ${to}`];
}

function typeViolation(file, target) {
  const [from, to] = [layerOf(file), layerOf(target)];
  const allowed = [...LOADS[from], ...(TYPES[from] ?? [])];
  if (to === undefined || from === to || to === "version" || allowed.includes(to)) return [];
  return [
    `${file} -> ${target}: ${from} may have the types of ${allowed.join(", ") || "no layer"}, not ${to}`,
  ];
}

/**
 * `src/api/client.ts` is in `api`, `service/views/sample.ts` in `service/views`, `src/errors.ts` is `errors`; undefined for
 * packages and files without a layer.
 */
function layerOf(path) {
  const names = [
    /^(service\/[a-z-]+)\//.exec(path)?.[1],
    /^src\/([a-z-]+\/[a-z-]+)\//.exec(path)?.[1],
    /^src\/([a-z-]+)(?:\/|\.ts$)/.exec(path)?.[1],
    /^([a-z-]+)\//.exec(path)?.[1],
  ];
  return names.find((name) => name !== undefined && Object.hasOwn(LOADS, name));
}

const STATIC_IMPORT = /^(?:import|export)\b[^;"']*?\bfrom\s+"(\.[^"]+)"/gm;
const DYNAMIC_IMPORT = /\bimport\("(\.[^"]+)"\)/g;

/** Our files that a file names in `import`, `import type`, `import()` and `export … from`. Relies on Biome's format. */
function namedImports(root, file) {
  const source = readFileSync(join(root, file), "utf8");
  const specifiers = [STATIC_IMPORT, DYNAMIC_IMPORT].flatMap((pattern) => [...source.matchAll(pattern)]);
  return specifiers.map(([, specifier]) =>
    posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts"),
  );
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
