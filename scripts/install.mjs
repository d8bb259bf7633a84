// Makes node_modules what package-lock.json asks for. Costs a few milliseconds when it already is.
// It runs before anything is installed and on a Node that may be too old, so: no packages, no new syntax.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { runCaptured } from "./captured-run.mjs";
import { runIfEntry } from "./entry.mjs";
import { withLock } from "./lock.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Each is said again because the npm that started us hands its own settings down (`--silent`, `--omit=dev`, `--prefix`). */
const NPM_ARGS = [
  "ci",
  `--prefix=${ROOT}`,
  "--include=dev",
  "--include=optional",
  "--package-lock",
  "--no-global",
  "--no-dry-run",
  "--prefer-offline",
  "--loglevel=error",
];

/**
 * Installs the dependencies unless they are there. Another process doing the same is waited for.
 * @throws Error when this Node is too old or npm fails
 */
export async function ensureInstalled() {
  requireNode(readJson("package.json").engines.node, process.versions.node);
  if (isInstalled()) return;
  await withLock(async () => {
    if (isInstalled()) return;
    process.stderr.write("calctl: installing the dependencies (the first time only)\n");
    await npmCi();
  });
}

function requireNode(range, version) {
  const wanted = range.replace(">=", "").split(".").map(Number);
  const actual = version.split(".").map(Number);
  const [major = 0, minor = 0] = wanted;
  if (actual[0] > major || (actual[0] === major && actual[1] >= minor)) return;
  throw new Error(
    `calctl needs Node ${major}.${minor} or newer, and this is ${version}: install a newer Node and run this again`,
  );
}

/** Compares the lock file with npm's own record of what it installed, which `npm ci` writes last. */
function isInstalled() {
  const wanted = readJson("package-lock.json").packages;
  let installed;
  try {
    installed = readJson("node_modules/.package-lock.json").packages;
  } catch (_absentOrTorn) {
    return false;
  }
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "" || (entry.optional === true && !isForThisMachine(entry))) return true;
    const found = installed[path];
    return found !== undefined && found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Optional packages that name no system belong to one that does: they come and go with it. */
function isForThisMachine({ os = [], cpu = [], libc }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc === undefined;
}

async function npmCi() {
  // The npm that started us is the one that is known to work; other package managers set the variable too.
  const npm = process.env.npm_execpath;
  const isNpm = npm !== undefined && basename(npm) === "npm-cli.js";
  const { code, output } = isNpm
    ? await runCaptured(process.execPath, [npm, ...NPM_ARGS], { cwd: ROOT })
    : await runCaptured("npm", NPM_ARGS, { cwd: ROOT, shell: process.platform === "win32" });
  if (code === 0) return;
  process.stderr.write(output);
  throw new Error("the dependencies could not be installed: mend what npm says above and run this again");
}

function readJson(path) {
  return JSON.parse(readFileSync(`${ROOT}/${path}`, "utf8"));
}

await runIfEntry(import.meta.url, ensureInstalled);
