import { expect, test } from "vitest";
import { startFaultServer } from "../support/fault-server.js";
import { type Reply, reply } from "../support/fault-steps.js";
import { createGate } from "../support/gate.js";
import { createInstallation } from "../support/spawned.js";

const CALENDARS =
  '{"data":[{"id":"c1","type":"calendar","attributes":{"name":"Home"}},{"id":"c2","type":"calendar","attributes":{"name":"Work"}}]}';
const NO_LABELS = '{"data":[]}';
const PROCESSES = 5;
const WAITING = /^rate limit reached: waiting \d s$/m;

test("processes that share a token all wait for the limit that one of them has reached", async () => {
  const server = await startFaultServer();
  const [all, others] = [createGate(), createGate()];
  let asked = 0;
  let reset = 0;
  let tooEarly = 0;
  const calendars: Reply = async () => {
    asked += 1;
    const isFirst = asked === 1;
    if (asked === PROCESSES) all.open();
    // Processes may start slowly: the limit is not reached before all of them run.
    await all.opened;
    if (!isFirst) {
      await others.opened;
      return { status: 200, body: CALENDARS };
    }
    const now = Date.now();
    reset = Math.ceil(now / 1000) + 3;
    const headers = {
      date: new Date(now).toUTCString(),
      "x-ratelimit-limit": "600",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(reset),
    };
    return { status: 200, headers, body: CALENDARS };
  };
  const labels: Reply = () => {
    if (Date.now() < reset * 1000) tooEarly += 1;
    return { status: 200, body: NO_LABELS };
  };
  server.on("GET /calendars", [reply(calendars)]);
  server.on("GET /calendars/c1/labels", [reply(labels)]);
  const calctl = createInstallation({ CALCTL_BASE_URL: server.baseUrl, CALCTL_TOKEN: "shared-token" });
  const started = Array.from({ length: PROCESSES }, () => calctl.start("labels", "-c", "Home"));
  const ended = Promise.all(started.map((run) => run.ended));
  // The one that observes the limit writes it to disk for the others before it waits.
  await Promise.any(started.map((run) => run.stderrWith("waiting")));
  others.open();
  const runs = await ended;
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(PROCESSES).fill(0));
  // One that was not scheduled for three seconds comes after the reset, and does not wait.
  expect(runs.filter(({ stderr }) => WAITING.test(stderr)).length).toBeGreaterThan(1);
  expect(tooEarly).toBe(0);
  expect(server.requests).toHaveLength(2 * PROCESSES);
});
