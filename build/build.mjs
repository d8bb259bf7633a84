// Bundles bin/calctl.ts into dist, with its code cache and the launcher that runs it.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { runIfEntry } from "./entry.mjs";
import { withLock } from "./lock.mjs";
import { createNotices } from "./notices.mjs";
import { LAZY_PACKAGE, makeParts, splitProgram, traceRuns } from "./parts.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
const ENTRY = join(DIST, "calctl.js");

/** The chunk that is the program. */
export const PROGRAM = "calctl.js";

/** Everything that the bundle depends on. */
const INPUTS = [
  ...["bin", "build", "contract", "service", "src"],
  ...["package.json", "package-lock.json", "tsconfig.json"],
];

/** What is in these folders of the inputs is not bundled. */
const NOT_INPUTS = ["service/bench", "service/test"];

/** Not bundled, because they load files of their own: native binaries and WebAssembly. */
const EXTERNAL_PACKAGES = ["@photostructure/sqlite", "keytar", "jq-wasm"];

/** The C library of PostgreSQL, which pg loads only if it is asked for. */
const NEVER_LOADED = "pg-native";

const IN_UNDICI = /[\\/]undici[\\/]lib[\\/]/;

/** Modules that undici loads and never uses here, and what it gets instead. */
const STUBS = [
  // HTTP/2, 4 ms, which none of our connections offers.
  {
    module: /\/client-h2\.js$/,
    contents: 'module.exports = () => { throw new Error("no connection offers HTTP/2"); };',
  },
  // 4 ms, for the size of headers, here Node's default, and for bodies that are its streams.
  { module: /^node:http$/, contents: "exports.maxHeaderSize = 16384;" },
  // 1 ms.
  {
    module: /^node:assert$/,
    contents: `module.exports = (value, message = "assertion failed") => {
      if (!value) throw message instanceof Error ? message : new Error(message);
    };`,
  },
];

const LOAD_STUBS = {
  name: "stubs",
  setup(build) {
    for (const { module, contents } of STUBS) {
      build.onResolve({ filter: module }, ({ path, importer }) =>
        IN_UNDICI.test(importer) ? { path, namespace: "stub", pluginData: contents } : null,
      );
    }
    build.onLoad({ filter: /./, namespace: "stub" }, ({ pluginData }) => ({ contents: pluginData }));
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/](core|dispatcher)[\\/][\w-]+\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8");
      const [member] = /\bassert\.\w+|\bhttp\.(?!maxHeaderSize)\w+\(/.exec(contents) ?? [];
      if (member !== undefined) throw new Error(`undici uses ${member} in ${path}: see build/build.mjs`);
      return { contents };
    });
  },
};

const HOUR_MS = 3_600_000;

/**
 * Bundles the program in memory.
 * @param changes override options of esbuild
 * @throws Error after esbuild has printed what is wrong
 */
export async function bundle(changes) {
  // Loaded here, since most runs have nothing to build.
  const { build } = await import("esbuild");
  try {
    return await build({ ...buildOptions(), write: false, metafile: true, ...changes });
  } catch (cause) {
    throw new Error("the program could not be built (reasons above)", { cause });
  }
}

/** The options of esbuild for the program. */
export function buildOptions() {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return {
    absWorkingDir: ROOT,
    entryPoints: ["bin/calctl.ts"],
    outdir: "dist",
    entryNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    platform: "node",
    format: "cjs",
    target: "node20.19",
    external: [...EXTERNAL_PACKAGES, LAZY_PACKAGE, NEVER_LOADED],
    alias: {
      // Its main file is UMD, in which esbuild cannot see require().
      "jsonc-parser": "jsonc-parser/lib/esm/main.js",
      // Its main file is CommonJS, of which esbuild would bundle two copies whole.
      "windows-iana": "windows-iana/dist/windows-iana.esm.js",
    },
    define: { __CALCTL_VERSION__: JSON.stringify(version) },
    plugins: [LOAD_STUBS],
    legalComments: "none",
    logLevel: "warning",
  };
}

/** Builds dist unless it is up to date. */
export async function ensureBuilt() {
  if (isBuiltFrom(sourceMark())) return;
  await withLock(async () => {
    const mark = sourceMark();
    if (!isBuiltFrom(mark)) await writeBuild(mark, HOUR_MS);
  });
}

/** Builds dist from scratch. @param sizes prints the size of each module */
async function rebuild({ sizes }) {
  const metafile = await withLock(() => writeBuild(sourceMark(), 0));
  if (!sizes) return;
  const { analyzeMetafile } = await import("esbuild");
  console.log(await analyzeMetafile(metafile));
}

/** Prints as JSON which files of source code and of packages some commands load. See test/system/start-up.test.ts. */
async function printLoads() {
  const groups = ["help", "local", "http"];
  console.log(JSON.stringify(await traceRuns(await splitProgram(bundle, ROOT), { entry: PROGRAM, groups })));
}

/** The program may be started during the build, so none of its files is ever missing, incomplete or from another build. */
async function writeBuild(mark, keepForMs) {
  const { chunks, metafile } = await splitProgram(bundle, ROOT);
  const program = await makeParts(chunks, { entry: PROGRAM, folder: DIST });
  const parts = [...program.files].map(([name, file]) => writePart(program, name, join(DIST, file)));
  const completion = await bundleOne("build/launcher/completion.ts", await completionOptions());
  const browser = await bundleOne("build/launcher/browser.ts", {});
  const ownFiles = [completion, browser];
  const launcher = await bundleLauncher({ parts, entry: program.entry, completion, browser });
  const texts = {
    // The package is ESM, but code that runs from a code cache is CommonJS.
    "package.json": '{ "type": "commonjs" }\n',
    "THIRD-PARTY-NOTICES": createNotices(ROOT, [
      metafile,
      ...[...ownFiles, launcher].map((built) => built.metafile),
    ]),
    ...(await makeDocuments()),
    ...Object.fromEntries(ownFiles.map(({ file }) => [basename(file.path), file.text])),
    // Last, since the launcher contains the names of the other files of its build.
    [PROGRAM]: launcher.file.text + mark,
  };
  for (const [name, text] of Object.entries(texts))
    writeAtomically(join(DIST, name), text, name === PROGRAM ? 0o755 : 0o644);
  const paths = parts.flatMap(({ path }) => [path, `${path}.cache`]);
  removeOthers(new Set([...Object.keys(texts).map((name) => join(DIST, name)), ...paths]), keepForMs);
  return metafile;
}

function writePart({ texts, caches }, name, path) {
  writeAtomically(path, texts.get(name));
  writeAtomically(`${path}.cache`, caches.get(name));
  return { name, path, checksum: crc32(caches.get(name)) };
}

/** Bundles into one file. @returns it, and esbuild's metafile */
export async function bundleOne(entry, { define, ...changes }) {
  const { outputFiles, metafile } = await bundle({
    entryPoints: [entry],
    ...changes,
    define: { ...buildOptions().define, ...define },
  });
  return { file: outputFiles[0], metafile };
}

/** Completion is a small file of its own, which contains the commands and flags, since it is asked at every Tab. */
export async function completionOptions() {
  const { describeCommands } = await loadDocuments();
  return { define: { __COMMAND_TREE__: JSON.stringify(JSON.stringify(await describeCommands())) } };
}

async function bundleLauncher({ parts, entry, completion, browser }) {
  const files = parts.map(({ name, path, checksum }) => [name, [basename(path), checksum]]);
  const [completionName, browserName] = [completion, browser].map(({ file }) => basename(file.path));
  return bundleOne("build/launcher/launcher.ts", {
    external: [...EXTERNAL_PACKAGES, `./${completionName}`, `./${browserName}`],
    define: {
      __PARTS__: JSON.stringify(Object.fromEntries(files)),
      __ENTRY__: JSON.stringify(entry),
      __COMPLETION__: JSON.stringify(completionName),
      __BROWSER__: JSON.stringify(browserName),
      __CACHE_TARGET__: JSON.stringify(`${process.versions.v8} ${process.platform} ${process.arch}`),
    },
  });
}

/** The date is that of the build. */
async function makeDocuments() {
  const { createDocuments } = await loadDocuments();
  const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? Date.now() / 1_000);
  return createDocuments(new Date(epoch * 1_000).toISOString().slice(0, 10));
}

/** What the program's own code makes of its commands. */
async function loadDocuments() {
  const { outputFiles } = await bundle({
    entryPoints: ["build/documents.ts"],
    supported: { "dynamic-import": false },
  });
  const module = { exports: {} };
  new Script(`(function(require,module,exports){${outputFiles[0].text}\n})`).runInThisContext()(
    createRequire(import.meta.url),
    module,
    module.exports,
  );
  return module.exports;
}

function writeAtomically(path, text, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, path);
}

/** Removes the files of earlier builds; recent ones stay, since a launcher that is starting may still read them. */
function removeOthers(paths, keepForMs) {
  const oldest = Date.now() - keepForMs;
  for (const path of filesBelow(DIST)) {
    if (!paths.has(path) && statSync(path).mtimeMs <= oldest) rmSync(path);
  }
}

function isBuiltFrom(mark) {
  try {
    return readFileSync(ENTRY, "utf8").endsWith(mark);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** Last line of the entry: a hash of all inputs. Times would not do, since a checkout changes them. */
function sourceMark() {
  const hash = createHash("sha256");
  for (const path of INPUTS.flatMap((input) => filesBelow(join(ROOT, input)))) {
    const content = readFileSync(path);
    hash.update(`${path.slice(ROOT.length)}\0${content.length}\0`).update(content);
  }
  return `//# sources ${hash.digest("hex")}\n`;
}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  if (NOT_INPUTS.some((folder) => path === join(ROOT, folder))) return [];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

await runIfEntry(import.meta.url, () =>
  process.argv.includes("--loads") ? printLoads() : rebuild({ sizes: process.argv.includes("--sizes") }),
);
