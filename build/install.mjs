// Installs the packages of package-lock.json; takes a few milliseconds if they are installed.
// Runs before anything is installed and on a Node that may be too old, so it uses no packages and no new syntax.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { runCaptured } from "./captured-run.mjs";
import { runIfEntry } from "./entry.mjs";
import { withLock } from "./lock.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** All explicit, because the npm that started this script passes on its own (`--silent`, `--omit=dev`, `--prefix`). */
const NPM_ARGS = [
  "ci",
  `--prefix=${ROOT}`,
  "--include=dev",
  "--include=optional",
  "--package-lock",
  "--no-global",
  "--no-dry-run",
  "--prefer-offline",
  // It would ask the registry, and nobody would see the answer.
  "--no-audit",
  "--loglevel=error",
];

/**
 * Installs the dependencies unless they are installed. Waits for another process that does the same.
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
  const [major = 0, minor = 0] = range.replace(">=", "").split(".").map(Number);
  const actual = version.split(".").map(Number);
  if (actual[0] > major || (actual[0] === major && actual[1] >= minor)) return;
  throw new Error(
    `calctl requires Node ${major}.${minor} or newer, but this is ${version}: install a newer Node and try again`,
  );
}

/** Compares the lock file with npm's record of what it installed, which `npm ci` writes last. */
function isInstalled() {
  const required = readJson("package-lock.json").packages;
  let installed;
  try {
    installed = readJson("node_modules/.package-lock.json").packages;
  } catch (_absentOrTorn) {
    return false;
  }
  return Object.entries(required).every(([path, entry]) => {
    if (path === "" || (entry.optional === true && !isForThisMachine(entry))) return true;
    const found = installed[path];
    return found !== undefined && found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** False for an optional package without `os` and `cpu`: it is a dependency of one that has them. */
function isForThisMachine({ os = [], cpu = [], libc }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc === undefined;
}

async function npmCi() {
  // Prefers the npm that started this script. Other package managers set the variable, too.
  const npm = process.env.npm_execpath;
  const isNpm = npm !== undefined && basename(npm) === "npm-cli.js";
  const { code, output } = isNpm
    ? await runCaptured(process.execPath, [npm, ...NPM_ARGS], { cwd: ROOT })
    : await runCaptured("npm", NPM_ARGS, { cwd: ROOT, shell: process.platform === "win32" });
  if (code === 0) return;
  process.stderr.write(output);
  throw new Error("the dependencies could not be installed: fix what npm reports above and try again");
}

function readJson(path) {
  return JSON.parse(readFileSync(`${ROOT}/${path}`, "utf8"));
}

await runIfEntry(import.meta.url, ensureInstalled);
