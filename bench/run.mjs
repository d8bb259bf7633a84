// `npm run bench`: what the program costs beside a bare Node, as ratios within one run. See bench/README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../scripts/build.mjs";
import { runIfEntry } from "../scripts/entry.mjs";
import { measureMemory, measureTime, typicalCosts } from "./measure.mjs";
import { seed } from "./seed.mjs";
import { startService } from "./service-process.mjs";

const BUILT = fileURLToPath(new URL("../dist/calctl.js", import.meta.url));
const EVENTS = 10_000;

const LIST = ["events", "list", "--days", "7"];

/** Each row with how many times a bare Node's cost it may have: CPU time here, memory below. */
const TIMES = [
  { args: ["--version"], bound: 1.2 },
  { args: ["--help"], bound: 2.3 },
  { args: LIST, bound: 4.9 },
  { args: [...LIST, "-o", "json"], bound: 5.1 },
  { args: ["whoami"], online: true, bound: 3.8 },
  { args: [...LIST, "-c", "Family"], online: true, bound: 4.1 },
];

const MEMORY = [{ args: LIST, bound: 1.9 }];

async function bench(program) {
  if (program === BUILT) await ensureBuilt();
  const home = mkdtempSync(join(tmpdir(), "calctl-bench-"));
  // Nothing else of the machine's environment: NODE_EXTRA_CA_CERTS makes a bare Node five times slower.
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC" };
  const service = await startService(program, { env });
  const client = { CALCTL_BASE_URL: service.base_url, CALCTL_TOKEN: service.token };
  try {
    seed(program, { env, database: join(home, ".local/share/calctl/local.db"), count: EVENTS });
    const bare = { title: "node -e 0", args: ["-e", "0"], env };
    const toCommandLine = ({ args, online = false, bound }) => ({
      title: `calctl ${args.join(" ")}${online ? " (HTTP)" : ""}`,
      args: [program, ...args],
      env: online ? { ...env, ...client } : env,
      bound,
    });
    const verdicts = [
      ...compare(bare, TIMES.map(toCommandLine), { measure: measureTime, rounds: 25, unit: "ms" }),
      ...compare(bare, MEMORY.map(toCommandLine), { measure: measureMemory, rounds: 5, unit: "MiB" }),
    ];
    if (verdicts.includes("over")) throw new Error("something costs more than its bound");
  } finally {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Prints what each row costs, and how many times the bare Node's cost that is.
 * @returns for each row whether the first of its ratios is within its bound: "ok" or "over"
 */
function compare(bare, rows, { measure, rounds, unit }) {
  const commandLines = [bare, ...rows];
  for (const commandLine of commandLines) measure(commandLine);
  const [least, ...costs] = typicalCosts(commandLines, { rounds, measure });
  const names = Object.keys(least);
  const cells = (cost) =>
    names.flatMap((name) => [cost[name].toFixed(1), (cost[name] / least[name]).toFixed(2)]);
  printRow(
    "",
    names.flatMap((name) => [`${name} ${unit}`, "ratio"]),
  );
  printRow(bare.title, cells(least));
  return rows.map(({ title, bound }, index) => {
    const cost = costs[index];
    const verdict = cost[names[0]] / least[names[0]] <= bound ? "ok" : "over";
    printRow(title, [...cells(cost), `${verdict} (${bound})`]);
    return verdict;
  });
}

function printRow(title, cells) {
  console.log(`${title.padEnd(46)}${cells.map((cell) => cell.padStart(11)).join("")}`);
}

await runIfEntry(import.meta.url, () => bench(resolve(process.argv[2] ?? BUILT)));
