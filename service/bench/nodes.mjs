// `npm run bench:nodes`: what two nodes on PostgreSQL carry beside one, each limited to a part of a core, so that the nodes
// and not this machine are what limits. Runs in pg_virtualenv. See README.md.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuTime, median, printRow, takeTurns } from "../../bench/rounds.mjs";
import { ensureBuilt } from "../../build/build.mjs";
import { runIfEntry } from "../../build/entry.mjs";
import { formatRequest, measureRate } from "./http-load.mjs";
import { startService } from "./service-process.mjs";
import { createDatabase, createRequests, SMALL, weekOf, weekRequests } from "./service-world.mjs";

const BUILT = fileURLToPath(new URL("../../dist/calctl.js", import.meta.url));

/** The part of a core that each node may use. */
const SHARE = Number(process.env.SHARE ?? 0.3);
/** Clients of one node, or of both together. */
const CONNECTIONS = 16;
/** Two nodes carry at least so many times as much as one. */
const BOUND = 1.6;

async function benchNodes() {
  await ensureBuilt();
  const { PGHOST, PGPORT, PGUSER, PGPASSWORD } = process.env;
  if (PGPORT === undefined) throw new Error("run it in pg_virtualenv: npm run bench:nodes");
  const home = mkdtempSync(join(tmpdir(), "calctl-bench-"));
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC", PGPASSWORD };
  const url = `postgres://${PGUSER}@${PGHOST}:${PGPORT}/postgres?sslmode=disable`;
  const nodes = [];
  try {
    const database = join(home, "small.db");
    const token = await createDatabase(BUILT, { env, database, size: SMALL });
    copy({ env, from: `sqlite:${database}`, to: url });
    const flags = ["--db", url, "--rate-limit", "off"];
    while (nodes.length < 2) {
      nodes.push({ ...(await startService(BUILT, { env, flags, sample: false })), release: () => undefined });
    }
    const rows = rowsOf(token);
    // Compiling what runs often takes seconds of a whole core.
    for (const row of rows) await measure(nodes, { ...row, count: 4_000 });
    for (const node of nodes) node.release = limitCpu(`calctl-${node.pid}`, node.pid);
    await compare(nodes, rows);
  } finally {
    for (const { stop, release } of nodes) {
      await stop();
      release();
    }
    rmSync(home, { recursive: true, force: true });
  }
}

function copy({ env, from, to }) {
  const args = [BUILT, "service", "copy", "--from", from, "--to", to];
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function rowsOf(token) {
  const get = (target) => formatRequest("GET", target, { token });
  return [
    { title: "GET a week, cached", requests: [get(weekOf("bench-000001"))], status: 200 },
    { title: "GET a week, rendered", requests: weekRequests(token), status: 200 },
    { title: "POST an event", requests: writes(token), status: 201 },
  ];
}

async function compare(nodes, rows) {
  printRow(`requests per second, ${SHARE} core each`, ["one node", "two", "ratio", "node, ms", "others, ms"]);
  let isWithin = true;
  for (const { title, ...row } of rows) {
    const samples = await takeTurns({
      one: () => measure(nodes.slice(0, 1), { ...row, count: 1_000 }),
      two: () => measure(nodes, { ...row, count: 2_000 }),
    });
    const ratio = median(samples.two.map(({ rate }, round) => rate / samples.one[round].rate));
    const of = (name, member) => median(samples[name].map((sample) => sample[member]));
    isWithin &&= ratio >= BOUND;
    const cells = [of("one", "rate").toFixed(0), of("two", "rate").toFixed(0), ratio.toFixed(2)];
    printRow(title, [...cells, of("two", "node").toFixed(2), of("two", "others").toFixed(2)]);
  }
  if (!isWithin) throw new Error(`two nodes carry less than ${BOUND} times what one does`);
}

/** Requests per second to the nodes together, and CPU time for each: of the nodes, and of everything else that runs (ms). */
async function measure(nodes, { requests, status, count }) {
  const ownBefore = nodes.map(({ pid }) => cpuTime(pid));
  const allBefore = cpuTimeOfAll();
  const start = performance.now();
  await Promise.all(
    nodes.map(({ base_url }, index) => {
      const own = requests.filter(
        (_, number) => nodes.length === 1 || number % 2 === index || requests.length === 1,
      );
      const connections = CONNECTIONS / nodes.length;
      return measureRate(base_url, own, { connections, count: count / nodes.length, status });
    }),
  );
  const rate = (count * 1000) / (performance.now() - start);
  const node = nodes.reduce((sum, { pid }, index) => sum + cpuTime(pid) - ownBefore[index], 0) / count;
  return { rate, node, others: (cpuTimeOfAll() - allBefore) / count - node };
}

/** What all processes have used of the machine's cores (ms). */
function cpuTimeOfAll() {
  const [, user, nice, system] = readFileSync("/proc/stat", "utf8").split(/\s+/);
  return (Number(user) + Number(nice) + Number(system)) * 10;
}

/** Events in many calendars: writes to one wait for each other. */
function writes(token) {
  const ids = Array.from({ length: 100 }, (_, number) => `bench-${String(number).padStart(6, "0")}`);
  const lists = ids.map((id) => createRequests(id, token));
  return Array.from({ length: 10 }, (_, week) => lists.map((list) => list[week])).flat();
}

/** Limits a process to its part of a core. @returns what ends that when the process has ended */
function limitCpu(name, pid) {
  const unified = existsSync("/sys/fs/cgroup/cgroup.controllers");
  const folder = join(unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu", name);
  mkdirSync(folder, { recursive: true });
  const period = 20_000;
  const quota = Math.round(SHARE * period);
  if (unified) {
    writeFileSync(join(folder, "cpu.max"), `${quota} ${period}`);
  } else {
    writeFileSync(join(folder, "cpu.cfs_period_us"), String(period));
    writeFileSync(join(folder, "cpu.cfs_quota_us"), String(quota));
  }
  writeFileSync(join(folder, "cgroup.procs"), String(pid));
  return () => rmdirSync(folder);
}

await runIfEntry(import.meta.url, benchNodes);
