// `npm run bench`: what the program costs beside a bare Node, as ratios within one run. See bench/README.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../scripts/build.mjs";
import { runIfEntry } from "../scripts/entry.mjs";
import { measureMemory, measureTime, medians } from "./measure.mjs";
import { seed } from "./seed.mjs";

const BUILT = fileURLToPath(new URL("../dist/calctl.js", import.meta.url));
const EVENTS = 10_000;

const LIST = ["events", "list", "--days", "7"];

/** Each row with how many times a bare Node's CPU time it may take. */
const TIMES = [
  { args: ["--version"], bound: 1.2 },
  { args: ["--help"], bound: 2 },
  { args: LIST, bound: 4 },
  { args: [...LIST, "-o", "json"], bound: 4 },
  { args: ["whoami"], online: true, bound: 4 },
  { args: [...LIST, "-c", "Family"], online: true, bound: 4 },
];

const MEMORY = [{ args: LIST, bound: 2 }];

async function bench(program) {
  if (program === BUILT) await ensureBuilt();
  const home = mkdtempSync(join(tmpdir(), "calctl-bench-"));
  // Nothing else of this machine's environment: NODE_EXTRA_CA_CERTS alone makes a bare Node five times slower.
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC" };
  const service = await startService(program, env);
  try {
    seed(program, { env, database: join(home, ".local/share/calctl/local.db"), count: EVENTS });
    const measureRows = (rows, options) =>
      measureTable(
        rows.map((row) => toCommandLine(row, { program, env, online: service.env })),
        { bare: { title: "node -e 0", args: ["-e", "0"], env }, ...options },
      );
    const verdicts = [
      ...measureRows(TIMES, { measure: measureTime, rounds: 25, unit: "ms" }),
      ...measureRows(MEMORY, { measure: measureMemory, rounds: 5, unit: "MiB" }),
    ];
    if (verdicts.includes("over")) throw new Error("something costs more than its bound");
  } finally {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function toCommandLine({ args, online: isOnline = false, bound }, { program, env, online }) {
  return {
    title: `calctl ${args.join(" ")}${isOnline ? " (HTTP)" : ""}`,
    args: [program, ...args],
    env: isOnline ? { ...env, ...online } : env,
    bound,
  };
}

/** The embedded service in a process of its own, and the environment of those who use it. */
async function startService(program, env) {
  const args = [
    "service",
    "start",
    "--memory",
    "--sample",
    "--port",
    "0",
    "--rate-limit",
    "off",
    "-o",
    "json",
  ];
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  const { base_url, token } = JSON.parse(line);
  return {
    env: { CALCTL_BASE_URL: base_url, CALCTL_TOKEN: token },
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** Prints a table of costs beside those of a bare Node. The first cost of a row is what its bound is for. */
function measureTable(rows, { bare, measure, rounds, unit }) {
  const commandLines = [bare, ...rows];
  for (const commandLine of commandLines) measure(commandLine);
  const [least, ...costs] = medians(commandLines, { rounds, measure });
  const names = Object.keys(least);
  const titles = names.flatMap((name, index) => [
    `${name} ${unit}`,
    "ratio",
    ...(index === 0 ? ["bound"] : []),
  ]);
  printLine("", titles);
  printLine(
    bare.title,
    names.flatMap((name, index) => [least[name].toFixed(1), "", ...(index === 0 ? [""] : [])]),
  );
  return rows.map((row, rowIndex) => {
    const ratios = names.map((name) => costs[rowIndex][name] / least[name]);
    const verdict = ratios[0] <= row.bound ? "ok" : "over";
    const numbers = names.flatMap((name, index) => [
      costs[rowIndex][name].toFixed(1),
      ratios[index].toFixed(2),
      ...(index === 0 ? [String(row.bound)] : []),
    ]);
    printLine(row.title, [...numbers, verdict]);
    return verdict;
  });
}

function printLine(title, cells) {
  console.log(`${title.padEnd(42)}${cells.map((cell) => cell.padStart(9)).join("")}`);
}

await runIfEntry(import.meta.url, () => bench(resolve(process.argv[2] ?? BUILT)));
