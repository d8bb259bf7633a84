// Bundles bin/calctl.ts into dist: one entry, one chunk for each part that is loaded when first needed.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runIfEntry } from "./entry.mjs";
import { withLock } from "./lock.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
const ENTRY = join(DIST, "calctl.js");

/** Whatever can change the bundle: the sources, what they import, and how they are put together. */
const INPUTS = ["bin", "src", "package.json", "package-lock.json", "tsconfig.json", "scripts/build.mjs"];

/** Packages with files of their own stay outside the bundle: native binaries, and the launcher script of `open`. */
const OUTSIDE_PACKAGES = ["libsql", "keytar", "open"];

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
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    external: OUTSIDE_PACKAGES,
    define: { __CALCTL_VERSION__: JSON.stringify(version) },
    // commander and others are CommonJS: their require() of built-in modules needs a real require.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
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
  const chunks = outputFiles.filter((file) => file.path !== ENTRY);
  const entry = outputFiles.find((file) => file.path === ENTRY);
  for (const chunk of chunks) writeInOneGo(chunk.path, chunk.text);
  // The entry names the chunks of its own build: whoever loads it finds all of them.
  writeInOneGo(ENTRY, entry.text + mark, 0o755);
  removeOthers(new Set(outputFiles.map((file) => file.path)), keepForMs);
  return metafile;
}

function writeInOneGo(path, text, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.draft`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, path);
}

/** A program that was started before this build still loads its own chunks: they stay a while. */
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
