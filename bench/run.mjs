// `npm run bench`: what the program costs beside a bare Node, as ratios within one run. See bench/README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../scripts/build.mjs";
import { runIfEntry } from "../scripts/entry.mjs";
import { medians, peakMemory, wallTime } from "./measure.mjs";
import { seed } from "./seed.mjs";

const PROGRAM = fileURLToPath(new URL("../dist/calctl.js", import.meta.url));
const EVENTS = 10_000;

const BARE = { title: "node -e 0", args: ["-e", "0"] };
const VERSION = { title: "calctl --version", args: [PROGRAM, "--version"] };
const LIST = { title: "calctl events list --days 7", args: [PROGRAM, "events", "list", "--days", "7"] };
const LIST_JSON = { title: `${LIST.title} -o json`, args: [...LIST.args, "-o", "json"] };

/** What is measured, how, and how many times the bare Node's cost each row may have. */
const TABLES = [
  {
    unit: "ms",
    measure: wallTime,
    rounds: 25,
    rows: [
      { ...VERSION, bound: 1.15 },
      { ...LIST, bound: 2.2 },
      { ...LIST_JSON, bound: 2.2 },
    ],
  },
  { unit: "MiB", measure: peakMemory, rounds: 5, rows: [{ ...LIST, bound: 2 }] },
];

async function bench() {
  await ensureBuilt();
  const home = mkdtempSync(join(tmpdir(), "calctl-bench-"));
  try {
    const env = environmentOf(home);
    seed(PROGRAM, { env, database: join(home, "local.db"), count: EVENTS });
    const results = TABLES.map((table) => measureTable(table, env));
    if (results.includes("over")) throw new Error("something costs more than its bound");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The machine's own environment, as it is where the program is used, with folders of the bench. */
function environmentOf(home) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:CALCTL_|XDG_|npm_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    CALCTL_CONFIG_DIR: home,
    CALCTL_DATA_DIR: home,
    TZ: "UTC",
  };
}

function measureTable({ unit, measure, rounds, rows }, env) {
  const commandLines = [BARE, ...rows].map(({ args }) => ({ args, env }));
  for (const commandLine of commandLines) measure(commandLine);
  const [bare, ...costs] = medians(commandLines, { rounds, measure });
  console.log(`\n${"what".padEnd(40)}${unit.padStart(8)}${"ratio".padStart(8)}${"bound".padStart(8)}`);
  console.log(`${BARE.title.padEnd(40)}${bare.toFixed(1).padStart(8)}`);
  const verdicts = rows.map((row, index) => {
    const ratio = costs[index] / bare;
    const verdict = ratio <= row.bound ? "ok" : "over";
    const numbers = [costs[index].toFixed(1), ratio.toFixed(2), String(row.bound)];
    console.log(`${row.title.padEnd(40)}${numbers.map((text) => text.padStart(8)).join("")}  ${verdict}`);
    return verdict;
  });
  return verdicts.includes("over") ? "over" : "ok";
}

await runIfEntry(import.meta.url, bench);
