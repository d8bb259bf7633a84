// Memory of a service with as many streams of changes as it takes, which wait for a write.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { printRow } from "../../bench/rounds.mjs";
import { formatRequest, openConnection } from "./http-load.mjs";
import { startService } from "./service-process.mjs";

const STREAMS = 1_000;
const PER_TOKEN = 32;
/** Megabytes that they take at most. */
const BOUND = 50;

/** @returns whether they are within the bound: "ok" or "over" */
export async function measureStreams(program, { env, database, token }) {
  const db = ["--db", `sqlite:${database}`];
  // Through a proxy, since a client has no more than 100 connections.
  const proxy = ["--public-url", "https://calendar.example", "--trust-proxy", "127.0.0.1"];
  const service = await startService(program, { env, flags: [...db, ...proxy], sample: false });
  const baseUrl = `http://${service.listen}`;
  try {
    const headers = { authorization: `Bearer ${token}` };
    const { data: user } = await (await fetch(`${baseUrl}/user`, { headers })).json();
    const create = ["service", "tokens", "create", ...db, "--user", user.id, "--fields", "token"];
    const tokens = Array.from({ length: Math.ceil(STREAMS / PER_TOKEN) }, () =>
      spawnSync(process.execPath, [program, ...create], { env, encoding: "utf8" }).stdout.trim(),
    );
    // What the first ones load and compile is not theirs.
    for (let count = 0; count < PER_TOKEN; count += 1) await openStream(baseUrl, token);
    const before = residentMegabytes(service.pid);
    for (let count = 0; count < STREAMS - PER_TOKEN; count += 1)
      await openStream(baseUrl, tokens[count % tokens.length]);
    const grown = residentMegabytes(service.pid) - before;
    const verdict = grown > BOUND ? "over" : "ok";
    printRow("\nmegabytes of waiting streams", ["before", "more", "KB each"]);
    const cells = [before, grown, (grown * 1_000) / (STREAMS - PER_TOKEN)].map((number) => number.toFixed(1));
    printRow(`GET changes, ${STREAMS} times`, [...cells, `${verdict} (${BOUND})`]);
    return verdict;
  } finally {
    await service.stop();
  }
}

/** Ends with the service. */
async function openStream(baseUrl, token) {
  const { socket } = await openConnection(baseUrl);
  const request = formatRequest("GET", "/calendars/bench-000001/changes", { token });
  socket.write(request.replace("\r\n\r\n", "\r\nAccept: text/event-stream\r\n\r\n"));
  const [head] = await once(socket, "data");
  if (!head.toString().includes(" 200 ")) throw new Error(`a stream was refused: ${head}`);
}

/** NaN where the system does not say. */
function residentMegabytes(pid) {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return Number.NaN;
  return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(file, "utf8"))[1]) / 1_000;
}
