// Bundles bin/calctl.ts into dist: the program with its code cache, and the launcher that runs it from there.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { runIfEntry } from "./entry.mjs";
import { withLock } from "./lock.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
const ENTRY = join(DIST, "calctl.js");

/** Whatever can change the bundle: the sources, what they import, and how they are put together. */
const INPUTS = [
  ...["bin", "src", "package.json", "package-lock.json", "tsconfig.json"],
  ...["scripts/build.mjs", "scripts/code-cache.cjs"],
];

/** Packages with files of their own stay outside the bundle: native binaries, and the launcher script of `open`. */
const OUTSIDE_PACKAGES = ["libsql", "keytar", "open"];

const CODE_CACHE = fileURLToPath(new URL("code-cache.cjs", import.meta.url));

/** The command line whose functions the cache holds: the one that cron and shells run most. */
const WARM_UP = ["events", "list", "--days", "7"];

const HOUR_MS = 3_600_000;

/**
 * Bundles the program in memory; `changes` to esbuild's options go on top.
 * @throws Error after esbuild has printed what is wrong
 */
export async function bundle(changes) {
  // Loaded here, since most runs find nothing to build.
  const { build } = await import("esbuild");
  try {
    return await build({ ...buildOptions(), write: false, metafile: true, ...changes });
  } catch (cause) {
    throw new Error("the program could not be built: the reasons are above", { cause });
  }
}

function buildOptions() {
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
    external: OUTSIDE_PACKAGES,
    // Its main file is UMD, whose own require() no bundler sees.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    // What comes out of a code cache has no callback for import(): require() does the same here.
    supported: { "dynamic-import": false },
    define: { __CALCTL_VERSION__: JSON.stringify(version) },
    // The launcher calls the program with its require: see bin/bundle.ts.
    banner: { js: "(function(require){" },
    footer: { js: "})" },
    // The launcher reads it as Latin-1, the quickest way into V8.
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
  };
}

/** Builds dist unless it was made from exactly what is here now. */
export async function ensureBuilt() {
  if (isMadeFrom(sourceMark())) return;
  await withLock(async () => {
    const mark = sourceMark();
    if (!isMadeFrom(mark)) await writeBuild(mark, HOUR_MS);
  });
}

/** Builds dist and leaves nothing else in it; `sizes` prints what takes the room. */
async function buildAfresh({ sizes }) {
  const metafile = await withLock(() => writeBuild(sourceMark(), 0));
  if (!sizes) return;
  const { analyzeMetafile } = await import("esbuild");
  console.log(await analyzeMetafile(metafile));
}

/** The program may be started at any moment meanwhile, so no file of it is ever missing, half written or of another build. */
async function writeBuild(mark, keepForMs) {
  const { outputFiles, metafile } = await bundle({});
  const [program] = outputFiles;
  const [cache, kind] = [`${program.path}.cache`, join(DIST, "package.json")];
  // The package as a whole is ESM, and what is run from a code cache is not.
  writeInOneGo(kind, '{ "type": "commonjs" }\n');
  writeInOneGo(program.path, program.text);
  const codeCache = makeCodeCache(program.path);
  writeInOneGo(cache, codeCache);
  // The launcher names the program of its own build: whoever loads it finds that one.
  writeInOneGo(ENTRY, (await bundleLauncher(basename(program.path), codeCache)) + mark, 0o755);
  removeOthers(new Set([kind, program.path, cache, ENTRY]), keepForMs);
  return metafile;
}

async function bundleLauncher(program, codeCache) {
  const { outputFiles } = await bundle({
    entryPoints: ["bin/launcher.ts"],
    define: {
      ...buildOptions().define,
      __PROGRAM__: JSON.stringify(program),
      __CACHE_CHECKSUM__: String(crc32(codeCache)),
      __CACHE_MAKER__: JSON.stringify(`${process.versions.v8} ${process.platform} ${process.arch}`),
    },
    banner: {},
    footer: {},
    supported: {},
  });
  return outputFiles[0].text;
}

/** What V8 compiles while the program shows its main job, on folders of its own. */
function makeCodeCache(program) {
  const folder = mkdtempSync(join(tmpdir(), "calctl-build-"));
  try {
    const cache = join(folder, "cache");
    const env = { HOME: folder, CALCTL_CONFIG_DIR: folder, CALCTL_DATA_DIR: folder, TZ: "UTC" };
    // Whatever the run comes to, what was compiled by then is a cache.
    spawnSync(process.execPath, [CODE_CACHE, program, cache, ...WARM_UP], { env, stdio: "ignore" });
    return readFileSync(cache);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeInOneGo(path, text, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.draft`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, path);
}

/** A launcher that was started before this build still reads its own program: it stays a while. */
function removeOthers(paths, keepForMs) {
  const oldest = Date.now() - keepForMs;
  for (const path of filesBelow(DIST)) {
    if (!paths.has(path) && statSync(path).mtimeMs <= oldest) rmSync(path);
  }
}

function isMadeFrom(mark) {
  try {
    return readFileSync(ENTRY, "utf8").endsWith(mark);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** Last line of the entry. Contents are compared, not times: a checkout touches files without changing them. */
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
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

await runIfEntry(import.meta.url, () => buildAfresh({ sizes: process.argv.includes("--sizes") }));
