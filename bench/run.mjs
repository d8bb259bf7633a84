// `npm run bench`: what the program costs beside a bare Node, as ratios of the same minutes. See bench/README.md.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runIfEntry } from "../build/entry.mjs";
import { measureMemory, middleMean, takeTurns } from "./measure.mjs";
import { buildWith, createWorld, describeMachine, isInstalled, versionOf, weekOf } from "./world.mjs";

const GET = fileURLToPath(new URL("get.cjs", import.meta.url));
const GET_JSON = fileURLToPath(new URL("get-json.cjs", import.meta.url));

/** What `npm run build:standalone` made. */
const STANDALONE = fileURLToPath(new URL("../release/calctl", import.meta.url));

const SIZES = [10, 1_000, 10_000];
/** Of lists in pages, which are printed as they arrive; more than a service sends at once. */
const PAGED_SIZES = [1_000, 10_000, 100_000];
const MEMORY_ROUNDS = 3;

/**
 * CPU time on the Node that built the program, as ratios to a bare Node. A row beyond its bound makes the run end with exit
 * code 1. README.md says how bounds are set, and what is aimed at.
 */
const BOUNDS = JSON.parse(readFileSync(new URL("bounds.json", import.meta.url), "utf8"));

async function bench({ nodes, rounds, program, json }) {
  const results = {};
  for (const node of nodes) {
    const folder = mkdtempSync(join(tmpdir(), "calctl-bench-"));
    try {
      results[versionOf(node)] = await benchNode(node, { folder, rounds, program });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (json !== undefined) writeFigures(json, results);
  const over = Object.values(results).flatMap((rows) => rows.filter(({ title, cpu }) => cpu > BOUNDS[title]));
  if (over.length > 0) throw new Error(`over the bound: ${over.map(({ title }) => title).join(", ")}`);
}

function writeFigures(path, results) {
  const machine = `${describeMachine()}, ${availableParallelism()} processors`;
  writeFileSync(path, `${JSON.stringify({ date: new Date().toISOString(), machine, results })}\n`);
}

/** Measures all rows with one Node, and prints them. */
async function benchNode(node, { folder, rounds, program }) {
  const built = program ?? buildWith(node, folder);
  const world = await createWorld(node, built, { folder, sizes: [...new Set([...SIZES, ...PAGED_SIZES])] });
  try {
    const rows = [
      ...programRows(node, built, world),
      ...standaloneRows(world),
      ...referenceRows(node, world),
    ];
    const [bare, ...others] = [
      { title: "node -e 0", command: node, args: ["-e", "0"], env: world.local },
      ...rows,
    ].map((row) => ({ ...row, samples: [] }));
    takeTurns([bare, ...others], 1);
    for (const row of [bare, ...others]) row.samples.pop();
    takeTurns([bare, ...others], rounds);
    for (const row of [bare, ...others]) row.memory = row.command === node ? typicalMemory(row) : null;
    console.log(`\nNode ${versionOf(node)}`);
    printRow("", ["cpu", "wall", "memory"]);
    return [bare, ...others].map((row) => summarize(row, bare));
  } finally {
    await world.stop();
  }
}

/** The program as its users run it. */
function programRows(node, program, world) {
  const row = (title, args, env) => ({ title, command: node, args: [program, ...args], env });
  const create = [
    "events",
    "create",
    "-c",
    "10",
    "--title",
    "Lunch",
    "--start",
    "2026-01-02T12:00",
    "--quiet",
  ];
  const lists = (title, env) =>
    SIZES.map((size) => row(`${title}, ${size} events`, weekOf(size, "json"), env));
  const days = ["--from", dayFromNow(0), "--to", dayFromNow(7), "-o", "ndjson"];
  const pagedLists = (title, env) =>
    PAGED_SIZES.map((size) =>
      row(`${title}, ${size} events`, ["events", "list", ...days, "-c", String(size)], env),
    );
  const typed = ["__complete", "zsh", "80", "events", "list", "-c", "1"];
  return [
    row("--version", ["--version"], world.local),
    row("--help", ["--help"], world.local),
    row("events list --help", ["events", "list", "--help"], world.local),
    row("completion of a name", typed, world.local),
    row("events create, local", [...create, "--duration", "1h"], world.local),
    row("events create, HTTP", [...create, "--duration", "1h"], world.http),
    row("whoami, HTTP", ["whoami"], world.http),
    ...lists("events list, local", world.local),
    ...lists("events list, HTTP", world.http),
    ...lists("events list, HTTPS", world.https),
    ...pagedLists("pages, local", world.local),
    ...pagedLists("pages, HTTP", world.http),
    row(
      "plan of an import, 10000 events",
      ["import", world.season, "-c", "Season", "--source", "new", "--dry-run"],
      world.local,
    ),
    row("import again, 10000 events", ["import", world.season, "-c", "Season", "--yes"], world.local),
    row(
      "list of those, 10000 events",
      ["events", "list", "-c", "Season", ...SEASON, "-o", "json"],
      world.local,
    ),
  ];
}

/** The days of the file that is imported. */
const SEASON = ["--from", "2027-01-01", "--to", "2027-12-31"];

/** A day in UTC. */
function dayFromNow(days) {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** The single executable, where it was built. It has a Node of its own. */
function standaloneRows({ local, http }) {
  if (!existsSync(STANDALONE)) return [];
  const row = (title, args, env) => ({ title: `executable, ${title}`, command: STANDALONE, args, env });
  return [
    row("--version", ["--version"], local),
    row("--help", ["--help"], local),
    row("list, local, 10 events", weekOf(10, "json"), local),
    row("list, HTTP, 10 events", weekOf(10, "json"), http),
  ];
}

/** What people would use instead, and the least that Node itself needs. */
function referenceRows(node, world) {
  const { token, local } = world;
  const target = (env, size) =>
    `${env.CALCTL_BASE_URL}/calendars/${world.calendarIds.get(String(size))}/upcoming_events?days=7`;
  const get = (title, env, { size = 10, script = GET } = {}) => ({
    ...{ title: `${title}, ${size} events`, command: node, args: [script, target(env, size), token] },
    env: { ...local, NODE_EXTRA_CA_CERTS: env.NODE_EXTRA_CA_CERTS ?? "" },
  });
  const bearer = ["-s", "-H", `Authorization: Bearer ${token}`];
  const curl = (title, env, size) => ({
    ...{ title: `${title}, ${size} events`, command: "curl", env: local },
    args: [...bearer, "--cacert", world.certificate, target(env, size)],
  });
  const khal = (size) => ({
    ...{ title: `khal list, ${size} events`, command: "khal", env: local },
    args: ["-c", world.khal(size), "list", "today", "7d"],
  });
  const version = (command) => ({ title: `${command} --version`, command, args: ["--version"], env: local });
  return [
    get("node:http", world.http),
    get("node:https", world.https),
    get("node:http and JSON", world.http, { size: 10_000, script: GET_JSON }),
    ...SIZES.map((size) => curl("curl, HTTP", world.http, size)),
    ...SIZES.map((size) => curl("curl, HTTPS", world.https, size)),
    ...(isInstalled("khal") ? SIZES.map(khal) : []),
    ...["gcalcli", "gh"].filter(isInstalled).map(version),
  ];
}

function typicalMemory(row) {
  return middleMean(Array.from({ length: MEMORY_ROUNDS }, () => measureMemory(row)));
}

/** @returns the ratios of a row, with its raw figures in milliseconds and MiB */
function summarize({ title, samples, memory }, bare) {
  const ratio = (name) => {
    const typical = (row) => middleMean(row.samples.map((sample) => sample[name]));
    return round(typical({ samples }) / typical(bare));
  };
  const [cpu, wall] = [ratio("cpu"), ratio("wall")];
  const peak = memory === null ? null : round(memory / bare.memory);
  printRow(title, [cpu, wall, peak ?? "-"]);
  const raw = {
    cpu: samples.map((sample) => round(sample.cpu)),
    wall: samples.map((sample) => round(sample.wall)),
  };
  return { title, cpu, wall, memory: peak, raw: { ...raw, memory: memory === null ? null : round(memory) } };
}

function round(number) {
  return Math.round(number * 100) / 100;
}

function printRow(title, cells) {
  console.log(`${title.padEnd(34)}${cells.map((cell) => String(cell).padStart(9)).join("")}`);
}

await runIfEntry(import.meta.url, async () => {
  const { values } = parseArgs({
    options: {
      node: { type: "string", multiple: true, default: [process.execPath] },
      rounds: { type: "string", default: "15" },
      program: { type: "string" },
      json: { type: "string" },
    },
  });
  const program = values.program === undefined ? undefined : resolve(values.program);
  await bench({ nodes: values.node, rounds: Number(values.rounds), program, json: values.json });
});
