// `npm run bench:service`: what the service carries beside a bare node:http handler, and beside a flood. See README.md.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuTime, median, printRow, takeTurns } from "../../bench/rounds.mjs";
import { ensureBuilt } from "../../build/build.mjs";
import { runIfEntry } from "../../build/entry.mjs";
import { formatRequest, measureRate, openConnection } from "./http-load.mjs";
import { fetchOnce, startRadicale, weekReport } from "./radicale.mjs";
import { startService } from "./service-process.mjs";
import {
  createDatabase,
  createRequests,
  LARGE,
  REPEATING,
  SINGLE,
  SMALL,
  weekOf,
  weekRequests,
} from "./service-world.mjs";

const BUILT = fileURLToPath(new URL("../../dist/calctl.js", import.meta.url));
const BARE_SERVER = fileURLToPath(new URL("../../bench/bare-server.mjs", import.meta.url));
const BARE_INSERT = fileURLToPath(new URL("bare-insert.mjs", import.meta.url));

const CONNECTIONS = 16;

/** With the rate limit on, reads reach at least this part of those without it. */
const LIMITED_SHARE = 0.9;
/** Events are created at this part of the rate at least at which a prepared statement inserts rows. */
const INSERT_SHARE = 0.5;
/** A week's events in a database with a million others take at most so many times as long as in one with few. */
const LARGE_FACTOR = 1.3;
/** A week of occurrences of series is read at this part at least of the rate of single events. */
const SERIES_SHARE = 0.9;
/** Beside a flood, a quiet client's request takes at most so many times its usual time. */
const FLOOD_FACTOR = 5;
const FLOOD = 20_000;

async function benchService(program) {
  if (program === BUILT) await ensureBuilt();
  const home = mkdtempSync(join(tmpdir(), "calctl-bench-"));
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC" };
  const started = [];
  const start = async (name, size, limit) => {
    const database = join(home, name);
    const token = await createDatabase(program, { env, database, size });
    const flags = ["--db", `sqlite:${database}`, "--rate-limit", limit];
    const service = { ...(await startService(program, { env, flags, sample: false })), token };
    started.push(service);
    return service;
  };
  try {
    const off = await start("off.db", SMALL, "off");
    const on = await start("on.db", SMALL, "100000000/10m");
    const verdicts = [...(await compareRates({ off, on })), await compareLatency(on)];
    verdicts.push(await compareInserts(join(home, "insert.db"), off));
    verdicts.push(await compareSizes(off, await start("large.db", LARGE, "off")));
    verdicts.push(
      await compareSeries(
        await start("single.db", SINGLE, "off"),
        await start("series.db", REPEATING, "off"),
      ),
    );
    await compareRadicale(home, off);
    if (verdicts.includes("over")) throw new Error("something is beyond its bound");
  } finally {
    for (const { stop } of started) await stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Requests per second without and with the rate limit, and of the bare handler; and the CPU time of the bare handler for a
 * request as a part of the service's, which other work on the machine does not change as much.
 */
async function compareRates(services) {
  const rows = { off: await rowsOf(services.off), on: await rowsOf(services.on) };
  printRow("requests per second", ["bare", "limit off", "of bare", "by CPU", "limit on", "of off"]);
  const verdicts = [];
  for (const [index, { title, requests, bound }] of rows.off.entries()) {
    const bare = await startBareServer(await answerTo(services.off.base_url, requests[0]));
    const options = { connections: CONNECTIONS, count: Math.max(24_000, requests.length), status: 200 };
    const samples = await takeTurns({
      bare: () => measureCost(bare, requests, options),
      off: () => measureCost(services.off, requests, options),
      on: () => measureCost(services.on, rows.on[index].requests, options),
    }).finally(bare.stop);
    const ofOff = middle(samples.on, samples.off, "rate");
    const ofBare = middle(samples.off, samples.bare, "rate");
    const byCpu = middle(samples.bare, samples.off, "cpu");
    const isLimited = Math.max(ofOff, middle(samples.off, samples.on, "cpu")) >= LIMITED_SHARE;
    const isWithin = isLimited && Math.max(ofBare, byCpu) >= bound;
    verdicts.push(isWithin ? "ok" : "over");
    const rates = Object.fromEntries(
      Object.entries(samples).map(([name, costs]) => [name, median(costs.map(({ rate }) => rate))]),
    );
    const cells = [rates.bare, rates.off, ofBare, byCpu, rates.on, ofOff].map(formatNumber);
    printRow(title, [...cells, `${verdicts.at(-1)} (${bound}, ${LIMITED_SHARE})`]);
  }
  return verdicts;
}

/** What is read, and which part of the bare handler's rate it reaches at least. */
async function rowsOf({ token }) {
  const get = (target) => formatRequest("GET", target, { token });
  return [
    { title: "GET /user", requests: [get("/user")], bound: 0.25 },
    {
      title: "GET a calendar, cached",
      requests: [get("/calendars/bench-000001?include=labels,members")],
      bound: 0.25,
    },
    { title: "GET a week, cached", requests: [get(weekOf("bench-000001"))], bound: 0.25 },
    { title: "GET a week, rendered", requests: weekRequests(token), bound: 0.04 },
  ];
}

/** Requests per second, and CPU time of the server for each (ms); NaN where the system does not say. */
async function measureCost({ base_url, pid }, requests, options) {
  const before = cpuTime(pid);
  const rate = await measureRate(base_url, requests, options);
  return { rate, cpu: (cpuTime(pid) - before) / options.count };
}

/** Median of the ratios of each round. */
function middle(these, those, name) {
  return median(these.map((sample, round) => sample[name] / those[round][name]));
}

/** Events that are created in a second, beside rows that a prepared statement inserts with the same durability. */
async function compareInserts(database, service) {
  const requests = createRequests("bench-000001", service.token);
  const samples = await takeTurns({
    bare: async () => {
      const { stdout } = spawnSync(process.execPath, [BARE_INSERT, database], { encoding: "utf8" });
      return { rate: Number(stdout) };
    },
    service: () => measureCost(service, requests, { connections: CONNECTIONS, count: 400, status: 201 }),
  });
  printRow("\nwrites per second", ["insert", "POST", "of insert"]);
  const rates = [samples.bare, samples.service].map((costs) => median(costs.map(({ rate }) => rate)));
  const ratio = middle(samples.service, samples.bare, "rate");
  const verdict = ratio >= INSERT_SHARE ? "ok" : "over";
  printRow("POST an event", [...[...rates, ratio].map(formatNumber), `${verdict} (${INSERT_SHARE})`]);
  return verdict;
}

/** What a week's events cost beside a million others and ten thousand users. */
async function compareSizes(small, large) {
  const requests = weekRequests(small.token);
  const options = { connections: CONNECTIONS, count: requests.length, status: 200 };
  const samples = await takeTurns({
    small: () => measureCost(small, requests, options),
    large: () => measureCost(large, weekRequests(large.token), options),
  });
  const byCpu = middle(samples.large, samples.small, "cpu");
  const byRate = middle(samples.small, samples.large, "rate");
  const verdict = Math.min(byCpu, byRate) <= LARGE_FACTOR ? "ok" : "over";
  printRow("\na week beside 1,000,000 events", ["small", "large", "time", "by CPU"]);
  const rates = [samples.small, samples.large].map((costs) => median(costs.map(({ rate }) => rate)));
  printRow("GET a week, rendered", [
    ...[...rates, byRate, byCpu].map(formatNumber),
    `${verdict} (${LARGE_FACTOR})`,
  ]);
  return verdict;
}

/** What a week costs whose events are occurrences of series, beside as many single ones. */
async function compareSeries(single, series) {
  const requests = weekRequests(single.token);
  const options = { connections: CONNECTIONS, count: requests.length, status: 200 };
  const samples = await takeTurns({
    single: () => measureCost(single, requests, options),
    series: () => measureCost(series, weekRequests(series.token), options),
  });
  const byRate = middle(samples.series, samples.single, "rate");
  const byCpu = middle(samples.single, samples.series, "cpu");
  const verdict = Math.max(byRate, byCpu) >= SERIES_SHARE ? "ok" : "over";
  printRow("\na week of series", ["single", "series", "of single", "by CPU"]);
  const rates = [samples.single, samples.series].map((costs) => median(costs.map(({ rate }) => rate)));
  const cells = [...rates, byRate, byCpu].map(formatNumber);
  printRow("GET a week, rendered", [...cells, `${verdict} (${SERIES_SHARE})`]);
  return verdict;
}

/** A week's events of Radicale, which keeps no connection open: each request has one of its own, here also of the service. */
async function compareRadicale(home, service) {
  const radicale = await startRadicale(home, 20);
  if (radicale === null) {
    console.log("\nRadicale is not installed");
    return;
  }
  const measure = async ({ base_url }, request) => {
    const start = performance.now();
    for (let count = 0; count < 100; count += 1) await fetchOnce(base_url, request);
    return { rate: 100_000 / (performance.now() - start) };
  };
  const headers = { authorization: `Bearer ${service.token}` };
  const samples = await takeTurns({
    radicale: () => measure(radicale, weekReport()),
    service: () => measure(service, { method: "GET", path: weekOf("bench-000001"), headers }),
  }).finally(radicale.stop);
  printRow("\none request at a time per second", ["Radicale", "service", "ratio"]);
  const rates = [samples.radicale, samples.service].map((costs) => median(costs.map(({ rate }) => rate)));
  printRow(
    "a week's events",
    [...rates, middle(samples.service, samples.radicale, "rate")].map(formatNumber),
  );
}

async function answerTo(baseUrl, request) {
  const connection = await openConnection(baseUrl);
  const { status, bytes } = await connection.send(request);
  connection.close();
  const end = bytes.indexOf("\r\n\r\n");
  const lines = bytes.toString("latin1", 0, end).split("\r\n").slice(1);
  const headers = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const kept = headers.filter(([name]) => !/^(connection|keep-alive|date)$/i.test(name));
  return [status, Object.fromEntries(kept), bytes.subarray(end + 4).toString()];
}

async function startBareServer(answer) {
  const child = spawn(process.execPath, [BARE_SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(answer));
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  return {
    base_url: line.trim(),
    pid: child.pid,
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** How long one request of a quiet client takes, alone and while another sends requests without a token all the time. */
async function compareLatency({ base_url, token }) {
  const quiet = await openConnection(base_url);
  const request = formatRequest("GET", "/user", { token });
  const measure = async () => {
    const times = [];
    for (let count = 0; count < 300; count += 1) {
      const start = performance.now();
      await quiet.send(request);
      times.push(performance.now() - start);
    }
    return times;
  };
  await measure();
  const usual = median(await measure());
  const flood = await startFlood(base_url);
  const beside = median(await measure());
  flood.stop();
  quiet.close();
  const verdict = beside / usual <= FLOOD_FACTOR ? "ok" : "over";
  printRow("\nmilliseconds of a quiet client", ["usual", "in flood", "ratio"]);
  const cells = [usual, beside, beside / usual].map((number) => number.toFixed(2));
  printRow("GET /user", [...cells, `${verdict} (${FLOOD_FACTOR})`]);
  return verdict;
}

/** In a process of its own, so that it takes no time from the quiet client. */
async function startFlood(baseUrl) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--flood", baseUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return { stop: () => child.kill() };
}

/** Sends `FLOOD` pipelined requests without a token, again and again. The service closes a connection that waits for too many responses. */
async function flood(baseUrl) {
  const requests = formatRequest("GET", "/user").repeat(FLOOD);
  for (let number = 0; ; number += 1) {
    const { socket } = await openConnection(baseUrl);
    if (number === 0) socket.once("data", () => console.log("flooding"));
    socket.on("error", () => undefined).resume();
    socket.write(requests);
    await once(socket, "close");
  }
}

function formatNumber(number) {
  return number < 10 ? number.toFixed(3) : number.toFixed(0);
}

const [first, second] = process.argv.slice(2);
await runIfEntry(import.meta.url, () =>
  first === "--flood" ? flood(second) : benchService(resolve(first ?? BUILT)),
);
