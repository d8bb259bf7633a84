// `npm run bench:service`: what the service carries beside a bare node:http handler, and beside a flood. See README.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../scripts/build.mjs";
import { runIfEntry } from "../scripts/entry.mjs";
import { formatRequest, measureRate, openConnection } from "./http-load.mjs";
import { startService } from "./service-process.mjs";

const BUILT = fileURLToPath(new URL("../dist/calctl.js", import.meta.url));
const BARE_SERVER = fileURLToPath(new URL("bare-server.mjs", import.meta.url));

const CONNECTIONS = 16;
const ROUNDS = 5;
const EVENTS = 20;

/** With the rate limit on, reads reach at least this part of those without it. */
const LIMITED_SHARE = 0.9;
/** Beside a flood, a quiet client's request takes at most so many times its usual time. */
const FLOOD_FACTOR = 5;
const FLOOD = 20_000;

async function benchService(program) {
  if (program === BUILT) await ensureBuilt();
  const home = mkdtempSync(join(tmpdir(), "calctl-bench-"));
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC" };
  const database = (name) => ["--db", `sqlite:${join(home, name)}`];
  const off = await startService(program, { env, flags: [...database("off.db"), "--rate-limit", "off"] });
  const limit = ["--rate-limit", "100000000/10m"];
  const on = await startService(program, { env, flags: [...database("on.db"), ...limit] });
  try {
    const verdicts = [...(await compareRates({ off, on })), await compareLatency(on)];
    if (verdicts.includes("over")) throw new Error("something is beyond its bound");
  } finally {
    await off.stop();
    await on.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Requests per second without and with the rate limit, and of the bare handler. */
async function compareRates(services) {
  const clients = { off: await prepareClient(services.off), on: await prepareClient(services.on) };
  printRow("requests per second", ["bare", "limit off", "of bare", "limit on", "of off"]);
  const verdicts = [];
  for (const [index, { title, count, status, isRead }] of clients.off.requests.entries()) {
    const request = (name) => clients[name].requests[index].text;
    const bare = await startBareServer(await answerTo(services.off.base_url, request("off")));
    const options = { connections: CONNECTIONS, count, status };
    const measures = {
      bare: () => measureRate(bare.url, request("off"), options),
      off: () => measureRate(services.off.base_url, request("off"), options),
      on: () => measureRate(services.on.base_url, request("on"), options),
    };
    const rates = { bare: [], off: [], on: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      // In turns, since the machine's speed changes, too.
      const names = round % 2 === 0 ? ["bare", "off", "on"] : ["on", "off", "bare"];
      for (const name of names) rates[name].push(await measures[name]());
    }
    await bare.stop();
    const ofOff = median(rates.on.map((rate, round) => rate / rates.off[round]));
    const ofBare = median(rates.off.map((rate, round) => rate / rates.bare[round]));
    const verdict = !isRead || ofOff >= LIMITED_SHARE ? "ok" : "over";
    verdicts.push(verdict);
    const cells = [median(rates.bare), median(rates.off), ofBare, median(rates.on), ofOff].map((number) =>
      number < 10 ? number.toFixed(3) : number.toFixed(0),
    );
    printRow(title, [...cells, ...(isRead ? [`${verdict} (${LIMITED_SHARE})`] : [])]);
  }
  return verdicts;
}

/** The requests of one service: its calendars have ids of their own, and a week with some events. */
async function prepareClient({ base_url, token }) {
  const connection = await openConnection(base_url);
  const { bytes } = await connection.send(formatRequest("GET", "/calendars", { token }));
  const { id } = JSON.parse(bytes.subarray(bytes.indexOf("\r\n\r\n") + 4).toString()).data[0];
  const create = formatRequest("POST", `/calendars/${id}/events`, { token, body: eventBody(id) });
  for (let count = 0; count < EVENTS; count += 1) await connection.send(create);
  connection.close();
  const week = `/calendars/${id}/upcoming_events?days=7&include=creator,label,attendees`;
  const get = (target) => ({ text: formatRequest("GET", target, { token }), status: 200, isRead: true });
  return {
    requests: [
      { title: "GET /user", count: 4000, ...get("/user") },
      { title: "GET /calendars", count: 2000, ...get("/calendars?include=labels,members") },
      { title: "GET a week's events", count: 1000, ...get(week) },
      { title: "POST an event", count: 1000, text: create, status: 201, isRead: false },
    ],
  };
}

function eventBody(calendarId) {
  const start = new Date(Date.now() + 86_400_000).toISOString();
  const end = new Date(Date.now() + 90_000_000).toISOString();
  return JSON.stringify({
    data: {
      attributes: {
        category: "schedule",
        title: "Seminar",
        all_day: false,
        start_at: start,
        end_at: end,
        location: "Room 7",
        description: "Written to be listed.",
      },
      relationships: { label: { data: { id: `${calendarId},1`, type: "label" } } },
    },
  });
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
    url: line.trim(),
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

/** Keeps `FLOOD` pipelined requests without a token on their way. */
async function flood(baseUrl) {
  const { socket } = await openConnection(baseUrl);
  socket.once("data", () => console.log("flooding"));
  socket.resume();
  const requests = formatRequest("GET", "/user").repeat(FLOOD);
  for (;;) await new Promise((done) => socket.write(requests, done));
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function printRow(title, cells) {
  console.log(`${title.padEnd(32)}${cells.map((cell) => cell.padStart(11)).join("")}`);
}

const [first, second] = process.argv.slice(2);
await runIfEntry(import.meta.url, () =>
  first === "--flood" ? flood(second) : benchService(resolve(first ?? BUILT)),
);
