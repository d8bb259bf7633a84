// Shows which small faults the tests notice:
// `npm run mutants -- [--places 200] [--seed 1] [--only 3,17] [--report FILE] [-- --project=test]`, where vitest gets what follows the
// last `--` (write its values after `=`).
// In a clone of the last commit, each chosen operator or condition of the product gets a switch between the original and a change of
// it. One run of the tests notes which files reach which places; then each change is made in turn, and the tests that reach it run
// until one fails. The report gets a line of JSON for each; those that no test noticed are listed at the end.
// The places depend only on the product and the seed, so two sets of tests can be compared on one product.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import MagicString from "magic-string";
import { parseSync, Visitor } from "oxc-parser";
import { runIfEntry } from "../build/entry.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where a wrong operator would lose data, send twice, or let somebody in. */
const FOLDERS = [
  "src/api/sending",
  "src/auth",
  "src/commands/add",
  "src/commands/import",
  "src/commands/messages",
  "src/delivery",
  "src/events",
  "src/time",
  "service/oauth",
  "service/store",
];

/** The least number of places in each folder, so that a small one is not left out. */
const PLACES_OF_FOLDER = 12;

const CHANGED = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
};

/** How long all tests of one batch take on a quiet machine (s). */
const SECONDS_OF_BATCH = 20;

/** Ends tests that a change makes wait forever (ms): such a change was noticed. */
const TIMEOUT = 300_000;

async function main() {
  const { values, positionals } = parseArgs({
    options: {
      places: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      report: { type: "string", default: "mutants.ndjson" },
    },
    allowPositionals: true,
  });
  const clone = mkdtempSync(join(tmpdir(), "calctl-mutants-"));
  await run("git", ["clone", "--quiet", ROOT, clone], ROOT);
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  const state = join(clone, ".mutants");
  mkdirSync(join(state, "reached"), { recursive: true });
  writeFileSync(join(state, "active"), "");

  const places = choosePlaces(clone, Number(values.places), Number(values.seed));
  writeSwitches(clone, state, places);
  const { passed, output } = await runTests(
    clone,
    ["--reporter=json", `--outputFile=${join(state, "tests.json")}`, ...positionals],
    20 * TIMEOUT,
  );
  if (!passed) throw new Error(`the tests fail without a change:\n${output.slice(-4_000)}`);
  const reached = readReached(state, clone);
  const seconds = readSeconds(state, clone);

  const chosen = values.only?.split(",").map(Number);
  const unnoticed = [];
  for (const place of places) {
    if (chosen !== undefined && !chosen.includes(place.id)) continue;
    const files = [...reached].filter(([, ids]) => ids.has(place.id)).map(([file]) => file);
    writeFileSync(join(state, "active"), String(place.id));
    const noticedBy = await firstFailure(clone, batches(files, place, seconds), positionals);
    const line = { ...place, files: files.length, noticedBy };
    appendFileSync(values.report, `${JSON.stringify(line)}\n`);
    process.stdout.write(noticedBy === null ? "x" : ".");
    if (noticedBy === null) unnoticed.push(line);
  }
  rmSync(clone, { recursive: true });
  const total = chosen?.length ?? places.length;
  console.log(`\n${total - unnoticed.length} of ${total} changes were noticed. Not noticed:`);
  for (const { id, file, line, from, to, files } of unnoticed) {
    console.log(`  ${id} ${file}:${line} (${files} test files) ${oneLine(from)}  =>  ${oneLine(to)}`);
  }
}

/** The same places for the same product and seed: { id, file, line, start, end, from, to }. */
function choosePlaces(clone, count, seed) {
  const draw = createDraw(seed);
  const folders = FOLDERS.map((folder) =>
    sourceFiles(join(clone, folder)).flatMap((path) => findPlaces(clone, path)),
  );
  const total = folders.flat().length;
  const chosen = folders.flatMap((all) => {
    const wanted = Math.max(PLACES_OF_FOLDER, Math.round((count * all.length) / total));
    const left = [...all];
    const some = [];
    while (some.length < wanted && left.length > 0) {
      const [place] = left.splice(Math.floor(draw() * left.length), 1);
      if (!some.some((other) => overlap(place, other))) some.push(place);
    }
    return some;
  });
  return chosen.map((place, id) => ({ id, ...place }));
}

function overlap(one, other) {
  return one.file === other.file && one.start < other.end && other.start < one.end;
}

function sourceFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /(?<!\.d)\.ts$/.test(name));
  return names.sort().map((name) => join(folder, name));
}

/** Every operator and condition of a file that can be changed. */
function findPlaces(clone, path) {
  const text = readFileSync(path, "utf8");
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const places = [];
  const source = (node) => text.slice(node.start, node.end);
  const add = (node, to) => {
    const line = text.slice(0, node.start).split("\n").length;
    places.push({
      file: relative(clone, path),
      line,
      start: node.start,
      end: node.end,
      from: source(node),
      to,
    });
  };
  const addOperator = (node) => {
    const operator = CHANGED[node.operator];
    if (operator === undefined || (node.operator === "+" && isText(node))) return;
    add(node, `(${source(node.left)}) ${operator} (${source(node.right)})`);
  };
  const addCondition = ({ test }) => add(test, `!(${source(test)})`);
  new Visitor({
    BinaryExpression: addOperator,
    LogicalExpression: (node) => (node.operator === "??" ? add(node, source(node.left)) : addOperator(node)),
    UnaryExpression: (node) => node.operator === "!" && add(node, source(node.argument)),
    ConditionalExpression: addCondition,
    IfStatement: addCondition,
  }).visit(program);
  return places;
}

/** Whether `+` joins strings, as far as the syntax tells. */
function isText(node) {
  if (node.type === "BinaryExpression") return isText(node.left) || isText(node.right);
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createDraw(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes into the clone a switch for each place, and a setup that notes which places each test file reaches. */
function writeSwitches(clone, state, places) {
  const active = JSON.stringify(join(state, "active"));
  const helper = `const isChanged: (id: number) => boolean = ((globalThis as any).isChanged ??= (() => {
    const active = process.getBuiltinModule("node:fs").readFileSync(${active}, "utf8");
    const reached = ((globalThis as any).reached = new Set<number>());
    return (id: number) => { reached.add(id); return active === String(id); };
  })());`;
  for (const file of new Set(places.map((place) => place.file))) {
    const path = join(clone, file);
    const text = new MagicString(readFileSync(path, "utf8"));
    for (const { id, start, end, from, to } of places.filter((place) => place.file === file)) {
      text.overwrite(start, end, `(isChanged(${id}) ? (${to}) : (${from}))`);
    }
    writeFileSync(path, text.prepend(helper.replaceAll("\n", " ")).toString());
  }
  const setup = `import { writeFileSync } from "node:fs";
    import { afterAll, beforeAll, expect } from "vitest";
    const reached = () => (globalThis as any).reached as Set<number> | undefined;
    beforeAll(() => reached()?.clear());
    afterAll(() => {
      const name = expect.getState().testPath!.replaceAll("/", "%");
      writeFileSync(${JSON.stringify(join(state, "reached"))} + "/" + name, [...(reached() ?? [])].join(" "));
    });`;
  appendFileSync(join(clone, "test/support/hermetic-setup.ts"), setup);
}

/** For each test file, the ids of the places that it reached. */
function readReached(state, clone) {
  const names = readdirSync(join(state, "reached"));
  const idsOf = (name) =>
    readFileSync(join(state, "reached", name), "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number);
  return new Map(names.map((name) => [relative(clone, name.replaceAll("%", "/")), new Set(idsOf(name))]));
}

/** For each test file, how long it took. */
function readSeconds(state, clone) {
  const { testResults } = JSON.parse(readFileSync(join(state, "tests.json"), "utf8"));
  return new Map(
    testResults.map(({ name, startTime, endTime }) => [relative(clone, name), (endTime - startTime) / 1_000]),
  );
}

/** Batches of test files: those in a folder of the same subject first; of both kinds, the quickest first. */
function batches(files, place, seconds) {
  const subject = place.file.split("/").slice(1, -1).join("/");
  const cost = (file) => (seconds.get(file) ?? 0) + (file.includes(`/${subject}/`) ? 0 : 1_000);
  const result = [];
  let total = 0;
  for (const file of files.sort((one, other) => cost(one) - cost(other))) {
    const duration = seconds.get(file) ?? 0;
    if (result.length === 0 || total + duration > SECONDS_OF_BATCH) {
      result.push([]);
      total = 0;
    }
    result.at(-1).push(file);
    total += duration;
  }
  return result;
}

/** The name of the test that failed first; null if none did. */
async function firstFailure(clone, groups, positionals) {
  for (const files of groups) {
    const { passed, output } = await runTests(
      clone,
      ["--bail=1", ...positionals.filter((each) => each.startsWith("-")), ...files],
      TIMEOUT,
    );
    if (!passed) return /FAIL\s+(.*)/.exec(output)?.[1] ?? "no end";
  }
  return null;
}

async function runTests(clone, args, timeout) {
  const { code, output } = await run(
    "node",
    ["node_modules/vitest/vitest.mjs", "run", ...args],
    clone,
    timeout,
  );
  return { passed: code === 0, output };
}

function run(command, args, cwd, timeout = TIMEOUT) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: "1" };
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), timeout);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").slice(0, 100);
}

await runIfEntry(import.meta.url, main);
