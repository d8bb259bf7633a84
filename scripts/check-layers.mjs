// Checks that each file imports only what the row of its layer names. `import type` and `import()` count, too. Import cycles and
// globals such as `process` are Biome's.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** What a layer may import, and after the bar what it may have only the types of. Its own files are always allowed. */
const LAYERS = {
  contract: "",
  errors: "",
  version: "",
  time: "contract errors",
  html: "contract",
  system: "contract errors",
  output: "contract time errors | api",
  config: "contract system errors | api output",
  cache: "contract system | api config",
  state: "contract system errors | config",
  secrets: "contract config system errors",
  terminal: "contract output system errors | api config service",
  api: "contract system errors",
  auth: "contract config secrets system html errors | api terminal",
  delivery: "contract api config output secrets system errors version",
  events: "contract time output state cli errors | api config run terminal",
  commands: "contract time events output cli errors | api auth config run state terminal",
  "commands/account": "api service/access",
  "commands/import": "state",
  "commands/messages": "delivery html state",
  "commands/programs": "api config delivery system terminal",
  "commands/undo": "state",
  cli: "contract time cache commands config events output service/commands system errors version | run terminal",
  run: "contract api auth cache config delivery html output secrets service/access state system terminal errors | service",
  service: "contract events html system time errors",
  "service/access": "service config output system terminal errors | run",
  "service/views": "events output | service service/access",
  "service/commands": "service/access service/views cli events output time errors | run service terminal",
  build: "auth cli commands config system errors version",
  bin: "build cli run secrets system errors",
};

/** Only these files may import them, so that they are easy to replace. */
const IMPORTERS = {
  "@photostructure/sqlite": "src/system/sqlite/driver.ts",
  chalk: "src/output/style.ts",
  "cli-table3": "service/views/sample.ts",
  conf: "src/config/config.ts",
  keytar: "src/secrets/keychain-helper.ts",
  open: "src/auth/browser/browser-helper.ts",
  "prom-client": "service/metrics.ts",
  undici: "src/api/network/connections.ts",
  "src/api/network/transport.ts": "src/run/client.ts",
};

/** Files that may ask for the time of day and for random numbers; the others are given them. */
const CLOCKS = /^(bin|build|src\/run)\/|^src\/(system\/clock|secrets\/keychain-helper)\.ts$/;
const CLOCK = /\bDate\.now\b|\bnew Date\b(?!\()|\bnew Date\(\)|\bMath\.random\b/g;

const IMPORT = /^(?:import|export)\s+(type\s)?([^;"']*?)\bfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
const ONLY_TYPES = /^\{(\s*type [^,]+,?)+\s*\}\s*$/;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;

/** One sorted line for each violation. @param root the folder with `bin` and `src` */
function findViolations(root) {
  const folders = ["bin", "build", "contract", "service", "src"].filter((name) =>
    existsSync(join(root, name)),
  );
  const files = folders
    .flatMap((name) => readdirSync(join(root, name), { recursive: true }).map((file) => join(name, file)))
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /(?<!\.d)\.ts$/.test(file) && !/^service\/(test|bench)\//.test(file));
  return files.flatMap((file) => violationsOf(file, readFileSync(join(root, file), "utf8"))).sort();
}

function violationsOf(file, source) {
  if (layerOf(file) === undefined) return [`${file}: give it a layer in scripts/check-layers.mjs`];
  const imports = [...source.matchAll(IMPORT)].flatMap(([, type, names = "", path, loaded = path]) => {
    const ours = posix.join(posix.dirname(file), loaded).replace(/\.js$/, ".ts");
    const isType = type !== undefined || ONLY_TYPES.test(names);
    return violationOf(file, loaded.startsWith(".") ? ours : loaded, isType);
  });
  const clocks = CLOCKS.test(file) ? [] : (source.replace(COMMENT, "").match(CLOCK) ?? []);
  return [...imports, ...clocks.map((name) => `${file} uses ${name}: take time and randomness as arguments`)];
}

function violationOf(file, target, isType) {
  const name = Object.keys(IMPORTERS).find((each) => target === each || target.startsWith(`${each}/`));
  if (name !== undefined && file !== IMPORTERS[name] && !isType)
    return [`${file} -> ${target}: only ${IMPORTERS[name]} may import it`];
  const [from, to] = [layerOf(file), layerOf(target)];
  if (to === undefined || from === to) return [];
  const [loads, types = []] = rowOf(from);
  if (matches(loads, to) || (isType && matches(types, to))) return [];
  return [`${file} -> ${target}: ${from} may not ${isType ? "have types of" : "import"} ${to}`];
}

/** A feature may import what all features may, and what its row adds. */
function rowOf(layer) {
  const [loads, types] = (LAYERS[layer] ?? "").split(" | ").map((names) => names.split(" "));
  if (!layer.startsWith("commands/")) return [loads, types];
  const [common, commonTypes] = rowOf("commands");
  return [[...common, ...loads], commonTypes];
}

function matches(names, layer) {
  return names.includes(layer) || (names.includes("commands") && layer.startsWith("commands/"));
}

/** `src/commands/add/add.ts` is in `commands/add`, `service/views/sample.ts` in `service/views`, `src/errors.ts` in `errors`. */
function layerOf(path) {
  const [, folder, feature] = /^(?:src\/)?([a-z-]+)(?:\/([a-z-]+)\/|\/|\.ts$)/.exec(path) ?? [];
  if (folder === "commands") return feature && `commands/${feature}`;
  return [`${folder}/${feature}`, folder].find((name) => Object.hasOwn(LAYERS, name));
}

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const violations = findViolations(root);
for (const line of violations) console.log(line);
process.exitCode = violations.length > 0 ? 1 : 0;
