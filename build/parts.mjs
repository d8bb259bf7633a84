// Splits the program into parts, each a file with a code cache of its own, so that a command reads only what it runs.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { constants, Script } from "node:vm";

const RUN_PARTS = fileURLToPath(new URL("run-parts.cjs", import.meta.url));

const CACHE = ".cache";

/** Of the chunks that no run loads, the larger ones are a part each. In characters. */
const OWN_PART_SIZE = 17_000;

/** Command lines that the build runs, to see what they load and to fill the code caches with what they compile. */
const RUNS = {
  help: ["--help"],
  // Creates the database of the profile `local`.
  first: ["calendars"],
  local: ["events list --days 7 -o json"],
  // What status bars run every minute.
  next: ["next -n 2"],
  template: ["next --template {{title}}"],
  http: ["events list --days 7 -o json -c Family"],
  usual: [
    "events create --help",
    "events create -c Family --title Lunch --start 2026-11-21T12:00 --duration 1h",
    "calendars",
    "whoami",
    "agenda",
    "events list --days 7",
  ],
};

/** The runs that need a service; the others use the profile `local`. */
const OVER_HTTP = ["http", "usual"];

/** The part of a chunk, by the runs that load it; the first that applies counts. Its cache holds what `filledBy` compile. */
const HOT = ["help", "local", "http"];
const PARTS = [
  { part: "start", loadedBy: ["help"], filledBy: HOT },
  { part: "command", loadedBy: ["local", "http"], filledBy: HOT },
  { part: "command", loadedBy: ["first", "http"], filledBy: HOT },
  { part: "network", loadedBy: ["http"], filledBy: HOT },
  // SQLite, which writes over HTTP need as well.
  { part: "sqlite", loadedBy: ["local", "usual"], filledBy: HOT },
  { part: "local", loadedBy: ["local"], filledBy: HOT },
  { part: "next", loadedBy: ["next"], filledBy: ["next"] },
  { part: "template", loadedBy: ["template"], filledBy: ["template"] },
  { part: "first", loadedBy: ["first"], filledBy: ["first"] },
  { part: "usual", loadedBy: ["usual"], filledBy: ["usual"] },
];

/** A package that is a chunk of its own: it takes 5 ms, and the zone UTC does not need it. */
export const LAZY_PACKAGE = "luxon";

/**
 * What a chunk imports of Node, and of that package, is loaded when a member of it is first used: `node:crypto` alone takes
 * 6 ms. These imports have no default.
 */
const LAZY_IMPORT = new RegExp(
  `(?<==\\s?)(?:require|\\(0,\\w+\\.\\w+\\)(?=\\("node:child_process"))\\("(node:[\\w/]+|${LAZY_PACKAGE})"\\)(?=[,;])`,
  "g",
);

const LAZY = "function __lazy(load){let m;return new Proxy({},{get:(_,name)=>(m??=load())[name]})}";

/** The helpers with which esbuild begins most chunks, to define their exports. Each part has one helper for all its chunks. */
const OWN_EXPORT =
  /^var [$\w]+=Object\.defineProperty;.{0,500}?[$\w]+\([$\w]+,(\{[^{}]*\})\);module\.exports=[$\w]+\([$\w]+\);/;

const EXPORT =
  'function __export(module,getters){const exports=module.exports=Object.defineProperty({},"__esModule",{value:true});for(const name in getters)Object.defineProperty(exports,name,{get:getters[name],enumerable:true})}';

/** Of a CommonJS module, which esbuild gives a chunk that only has the default export. */
const NAMED_EXPORTS =
  ';module.exports=Object.defineProperty({...module.exports.default,...module.exports},"__esModule",{value:true});';

/**
 * Splits the program where it uses import().
 * @param build esbuild's, with the options of the program
 * @param root the working directory of esbuild
 * @returns the CommonJS text of each chunk by name, and esbuild's metafile
 */
export async function splitProgram(build, root) {
  const { transform } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    format: "esm",
    splitting: true,
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
  });
  const chunks = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const { code } = await transform(text, {
        format: "cjs",
        // For Node, esbuild would also list the names of all exports, for ES modules that import them: there are none.
        platform: "neutral",
        target: "node20.19",
        minify: true,
        charset: "ascii",
        // Code from a code cache cannot use import(), so esbuild turns it into require().
        supported: { "dynamic-import": false },
      });
      const { entryPoint } = metafile.outputs[relative(root, path)];
      const isCommonJs = entryPoint !== undefined && metafile.inputs[entryPoint].format === "cjs";
      return [basename(path), escapeNonAscii(isCommonJs ? code + NAMED_EXPORTS : shareExport(code))];
    }),
  );
  const lazy = await build({ entryPoints: [LAZY_PACKAGE], external: [] });
  const lazyChunk = [`${LAZY_PACKAGE}.js`, escapeNonAscii(lazy.outputFiles[0].text)];
  const outputs = { ...metafile.outputs, ...lazy.metafile.outputs };
  return { chunks: new Map([...chunks, lazyChunk]), metafile: { ...metafile, outputs } };
}

function shareExport(code) {
  return code.replace(OWN_EXPORT, (_, getters) => `__export(module,${getters});`);
}

/** The launcher reads the program as Latin-1, and esbuild leaves characters in regular expressions as they are. */
function escapeNonAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Groups the chunks into parts, by what runs of the program load.
 * @param entry name of the chunk that is the program
 * @param folder where the parts will be: their code caches hold their paths
 * @returns text, file name and code cache of each part by name, and where the entry is: its part, and its place there
 */
export function makeParts(chunks, { entry, folder: destination }) {
  return inTemporaryFolder(async (folder) => {
    const partOf = await groupChunks(chunks, { entry, folder: join(folder, "chunks") });
    const program = layOut(chunks, entry, partOf);
    const caches = await fillCaches(program, { folder: join(folder, "parts"), destination });
    return { ...program, caches };
  });
}

/** Works in a new folder that exists only meanwhile. */
export async function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "calctl-build-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Finds out what the runs load.
 * @param metafile esbuild's, of the chunks
 * @param groups names of RUNS
 * @returns for each run the files of source code and of packages in the chunks that it loads
 */
export async function traceRuns({ chunks, metafile }, { entry, groups }) {
  const loads = await inTemporaryFolder((folder) => traceChunks(chunks, { entry, folder, groups }));
  const outputs = Object.entries(metafile.outputs).map(([path, { inputs }]) => [basename(path), inputs]);
  const filesOf = (group) =>
    outputs.filter(([chunk]) => loads(group, chunk)).flatMap(([, inputs]) => Object.keys(inputs));
  return Object.fromEntries(groups.map((group) => [group, filesOf(group)]));
}

/** @returns whether a run loads a chunk */
async function traceChunks(chunks, { entry, folder, groups }) {
  // Each chunk as a part of its own, so that the runs tell which ones they load.
  const caches = await runProgram(layOut(chunks, entry, partNameOf), { folder, destination: folder, groups });
  return (group, name) => caches.get(group).has(partNameOf(name));
}

/** @returns the part of each chunk */
async function groupChunks(chunks, { entry, folder }) {
  const loads = await traceChunks(chunks, { entry, folder, groups: Object.keys(RUNS) });
  return (name) =>
    PARTS.find(({ loadedBy }) => loadedBy.every((group) => loads(group, name)))?.part ??
    (chunks.get(name).length >= OWN_PART_SIZE ? partNameOf(name) : "rest");
}

function partNameOf(chunk) {
  return basename(chunk, ".js").toLowerCase();
}

/** @returns the code cache of each part by name */
async function fillCaches(program, { folder, destination }) {
  const groups = [...new Map(PARTS.map(({ filledBy }) => [filledBy.join(" "), filledBy])).keys()];
  const caches = await runProgram(program, { folder, destination, groups });
  const cacheOf = (part) => {
    const { filledBy } = PARTS.find((known) => known.part === part) ?? {};
    return (
      caches.get(filledBy?.join(" "))?.get(part) ??
      compile(program.texts.get(part), join(destination, program.files.get(part)))
    );
  };
  return new Map([...program.texts.keys()].map((part) => [part, cacheOf(part)]));
}

/** The code cache of a part that no run loads. */
function compile(text, filename) {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new Script(text, { filename, importModuleDynamically }).createCachedData();
}

/** A part is a function that returns its chunks; these call `__chunk` for each other. */
function layOut(chunks, entry, partOf) {
  const members = new Map();
  for (const name of chunks.keys()) members.set(partOf(name), [...(members.get(partOf(name)) ?? []), name]);
  const addressOf = (name) => [partOf(name), members.get(partOf(name)).indexOf(name)];
  const link = (text) =>
    text.replace(/\brequire\("\.\/([\w-]+\.js)"\)/g, (_, name) => {
      const [part, index] = addressOf(name);
      return `__chunk(${JSON.stringify(part)},${index})`;
    });
  const makeLazy = (text) =>
    text.replace(LAZY_IMPORT, (eager, name) =>
      name === LAZY_PACKAGE
        ? `__lazy(()=>__chunk(${addressOf(`${LAZY_PACKAGE}.js`).map(JSON.stringify)}))`
        : `__lazy(()=>${eager})`,
    );
  const textOf = (names) => {
    const functions = names.map((name) => `function(module,exports){${makeLazy(link(chunks.get(name)))}}`);
    return `(function(require,__chunk){${LAZY}${EXPORT}return[${functions.join(",\n")}]})`;
  };
  const texts = new Map([...members].map(([part, names]) => [part, textOf(names)]));
  // Without esbuild's hash of the chunk: the launcher has all names, and each start reads it.
  const nameOf = (part) => part.replace(/-\w{8}$/, "");
  const files = new Map(
    [...texts].map(([part, text]) => [part, `calctl-${nameOf(part)}-${hashOf(text)}.js`]),
  );
  return { texts, files, entry: addressOf(entry) };
}

function hashOf(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/**
 * Runs groups of command lines, each in a process of its own. Their results do not matter, only what is loaded.
 * @param groups names of RUNS, several with a space between them
 * @returns for each group the code caches of the parts that it loaded, by name
 */
async function runProgram({ texts, files, entry }, { folder, destination, groups }) {
  mkdirSync(folder, { recursive: true });
  const program = { entry, files: Object.fromEntries(files), folder: destination };
  writeFileSync(join(folder, "program.json"), JSON.stringify(program));
  for (const [part, text] of texts) writeFileSync(join(folder, files.get(part)), text);
  const service = await startService(folder);
  try {
    const caches = groups.map((group) => [group, runGroup(folder, group.split(" "), service.env)]);
    return new Map(await Promise.all(caches.map(async ([group, result]) => [group, await result])));
  } finally {
    await service.stop();
  }
}

async function runGroup(folder, runs, serviceEnv) {
  const linesOf = (run) => RUNS[run].map((line) => [line, OVER_HTTP.includes(run) ? serviceEnv : {}]);
  const home = mkdtempSync(join(folder, "home-"));
  const run = async (commandLines) => {
    const output = mkdtempSync(join(folder, "run-"));
    await once(start(folder, { output, home, commandLines, stdio: "ignore" }), "exit");
    return output;
  };
  // Each user has a first run once, and so does this home.
  if (!runs.includes("first")) await run(linesOf("first"));
  const output = await run(runs.flatMap(linesOf));
  const names = readdirSync(output).filter((name) => name.endsWith(CACHE));
  return new Map(names.map((name) => [basename(name, CACHE), readFileSync(join(output, name))]));
}

const SERVICE = "service start --memory --sample --rate-limit off --port 0 -o json";

/** A service with sample data. @returns the environment in which the program uses it, and what ends it */
async function startService(folder) {
  const output = mkdtempSync(join(folder, "service-"));
  const child = start(folder, { output, commandLines: [[SERVICE, {}]], stdio: ["ignore", "pipe", "ignore"] });
  const closed = once(child, "close");
  const ended = closed.then(([code]) => {
    throw new Error(`the service for the code caches ended with exit code ${code}`);
  });
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended]);
  ended.catch(() => undefined);
  const { base_url, token } = JSON.parse(line);
  return {
    env: { CALCTL_BASE_URL: base_url, CALCTL_TOKEN: token },
    async stop() {
      child.kill();
      await closed;
    },
  };
}

function start(folder, { output, home = join(output, "home"), commandLines, stdio }) {
  const env = { HOME: home, TZ: "UTC" };
  const args = [RUN_PARTS, folder, output, JSON.stringify(commandLines)];
  return spawn(process.execPath, args, { env, stdio });
}
