// `npm run build:standalone`: the program and Node in one executable for this platform, release/calctl.
// --node PATH takes that Node instead of the registry's. See docs/decisions/2026-11-22-standalone.md.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildOptions, bundle, bundleOne, completionOptions, PROGRAM, ROOT } from "./build.mjs";
import { runIfEntry } from "./entry.mjs";
import { createNotices } from "./notices.mjs";
import { inTemporaryFolder, makeParts, splitProgram } from "./parts.mjs";

const RELEASE = join(ROOT, "release");
const EXECUTABLE = process.platform === "win32" ? "calctl.exe" : "calctl";

/** The first that has --build-sea. */
const NODE_MAJOR = 26;

/** The parts of the program are not files, so this path is only shown in stack traces. */
const FOLDER = "calctl";

const KEYCHAIN = "node_modules/keytar";

/** The keychain's library; without one for this platform, the executable uses files for tokens. */
const LIBRARY = join(ROOT, KEYCHAIN, `prebuilds/${process.platform}-${process.arch}/keytar.node`);

/** @returns what changes the options of esbuild: jq is bundled, too, with its WebAssembly as text */
function inOneFile() {
  const { external, alias } = buildOptions();
  return {
    external: external.filter((name) => name !== "jq-wasm"),
    alias: { ...alias, "jq-wasm": "jq-wasm/inline" },
  };
}

/** Runs this script with the Node that becomes part of the executable, since code caches fit one V8 only. */
function buildWith(node, folder) {
  const path = node ?? installNode(folder);
  const args = [fileURLToPath(import.meta.url), "--build-in", folder];
  const { status } = spawnSync(path, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error("the executable could not be built (reasons above)");
}

/** Node as a package of npm: the official build. */
function installNode(folder) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const args = ["install", "--silent", "--no-save", "--prefix", folder, `${name}@${NODE_MAJOR}`];
  const { status } = spawnSync("npm", args, {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0)
    throw new Error(`npm cannot install ${name}@${NODE_MAJOR}: name a Node ${NODE_MAJOR} with --node`);
  return join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/** Writes the executable and its licenses, with this Node. */
async function buildIn(folder) {
  if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR)
    throw new Error(`the executable needs Node ${NODE_MAJOR} or newer, but this is ${process.versions.node}`);
  const build = (changes) => bundle({ ...inOneFile(), ...changes });
  const { chunks, metafile } = await splitProgram(build, ROOT);
  const { texts, files, caches, entry } = await makeParts(chunks, { entry: PROGRAM, folder: FOLDER });
  const main = await bundleOne("bin/standalone.ts", await mainOptions({ files, entry }));
  const assets = existsSync(LIBRARY) ? { "keytar.node": LIBRARY } : {};
  const writeAsset = (name, content) => {
    assets[name] = join(folder, `asset-${name}`);
    writeFileSync(assets[name], content);
  };
  for (const [name, text] of texts) {
    writeAsset(name, text);
    writeAsset(`${name}.cache`, caches.get(name));
  }
  writeFileSync(join(folder, "main.js"), main.file.text);
  makeExecutable(folder, assets);
  const notices = createNotices(ROOT, [metafile, main.metafile], [KEYCHAIN]);
  writeFileSync(join(RELEASE, "THIRD-PARTY-NOTICES"), `${notices}\n${"-".repeat(80)}\n\n${nodeLicense()}`);
}

async function mainOptions({ files, entry }) {
  const { define } = await completionOptions();
  const paths = [...files].map(([name, file]) => [name, join(FOLDER, file)]);
  return {
    define: {
      ...define,
      __PARTS__: JSON.stringify(Object.fromEntries(paths)),
      __ENTRY__: JSON.stringify(entry),
    },
  };
}

function makeExecutable(folder, assets) {
  const config = join(folder, "sea.json");
  const output = join(folder, EXECUTABLE);
  const main = join(folder, "main.js");
  const options = { disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify({ main, output, ...options, assets }));
  const { status, stderr } = spawnSync(process.execPath, ["--build-sea", config], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Node could not make the executable: ${stderr}`);
  mkdirSync(RELEASE, { recursive: true });
  moveFile(output, join(RELEASE, basename(output)));
}

/** Node's license, which names those of what Node contains. */
function nodeLicense() {
  const text = readFileSync(join(dirname(process.execPath), "..", "LICENSE"), "utf8");
  return `Node.js ${process.versions.node}\n\n${text}`;
}

/** Also to another file system. The executable may be running, so it is not written to. */
function moveFile(from, to) {
  const temporary = `${to}.tmp`;
  copyFileSync(from, temporary);
  renameSync(temporary, to);
}

await runIfEntry(import.meta.url, async () => {
  const { values } = parseArgs({ options: { node: { type: "string" }, "build-in": { type: "string" } } });
  if (values["build-in"] !== undefined) return buildIn(values["build-in"]);
  await inTemporaryFolder((folder) => buildWith(values.node, folder));
  console.log(relative(process.cwd(), join(RELEASE, EXECUTABLE)));
});
