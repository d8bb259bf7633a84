import { expect, test } from "vitest";
import { createMachine } from "../commands/account/login-run.js";
import { byService, reply } from "../support/fault-steps.js";
import { NOW } from "../support/harness.js";
import { createRemoteWorld } from "../support/remote-world.js";

/** A create that is refused with 429 once: how long it waits. sending/rate-limit.test.ts has all that a refusal may say. */

const HOUR = 3_600_000;
const YEARS = 10 * 365 * 24 * HOUR;
const unix = (milliseconds: number) => String(Math.floor(milliseconds / 1000));
const date = (milliseconds: number) => new Date(milliseconds).toUTCString();

/** A second and half of another are added to a wait: clocks are compared by seconds, and clients must not return at once. */
const MARGIN = 1500;

interface Advice {
  readonly reset?: string;
  readonly after?: string;
  /** The service's clock less ours, in milliseconds. */
  readonly skew?: number;
}

test.each<readonly [string, Advice, number]>([
  [
    "Retry-After in seconds, which counts before a reset",
    { after: "7", reset: unix(NOW + 2000) },
    7000 + MARGIN,
  ],
  ["a clock an hour ahead", { skew: HOUR, reset: unix(NOW + HOUR + 5000) }, 5000 + MARGIN],
  ["a date by a clock an hour ahead", { skew: HOUR, after: date(NOW + HOUR + 5000) }, 5000 + MARGIN],
  ["just the longest wait", { reset: unix(NOW + 60_000) }, 60_000],
])("C4 429 with %s: succeeds at the second attempt", async (_, advice, wait) => {
  const { exitCode, seen, pauses, waited } = await createAfter(advice);
  expect({ exitCode, seen }).toEqual({ exitCode: 0, seen: 2 });
  expect(waited).toBe(wait);
  expect(Math.min(...pauses)).toBeGreaterThan(0);
});

test.each<readonly [string, Advice, string]>([
  ["a reset in 61 s", { reset: unix(NOW + 61_000) }, "try again in 61 seconds"],
  ["Retry-After of ten years", { after: unix(YEARS) }, "may be a mistake"],
])("C4 429 with %s: exceeds the longest wait, exit 7 immediately", async (_, advice, hint) => {
  const { exitCode, seen, pauses, stdout, stderr } = await createAfter(advice);
  expect({ exitCode, seen, pauses, stdout }).toEqual({ exitCode: 7, seen: 1, pauses: [], stdout: "" });
  expect(stderr).toContain(hint);
});

test("C4 C6 only 429s: the waits grow, and their total stays below --max-wait", async () => {
  const world = await createRemoteWorld();
  world.server.on("GET /user", [reply({ status: 429 })]);
  const { exitCode } = await world.send("whoami");
  expect(exitCode).toBe(7);
  expect(world.pauses).toEqual([2500, 3500, 5500, 9500, 17_500, 21_500]);
  expect(world.server.count("GET /user")).toBe(world.pauses.length + 1);
});

/** The response says that no requests remain for 20 seconds. */
const USED_UP = {
  "x-ratelimit-limit": "600",
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": unix(NOW + 20_000),
  date: date(NOW),
};

test("C5 no requests remain: the next request of a command waits", async () => {
  const world = await createRemoteWorld();
  const serve = byService(world.service);
  world.server.on("GET /calendars", [
    reply(async (request) => ({ ...(await serve(request)), headers: USED_UP })),
  ]);
  expect((await world.send("labels", "-c", world.calendarId)).exitCode).toBe(0);
  expect(world.pauses.reduce((sum, pause) => sum + pause, 0)).toBe(20_000 + MARGIN);
  expect(world.server.requests).toHaveLength(2);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("C5 %s ends the wait immediately", async (signal, exitCode) => {
  const world = await createRemoteWorld();
  world.server.on("GET /user", [reply({ status: 429, headers: { "retry-after": "50" } })]);
  const started = createMachine().start({ env: world.env }, "whoami");
  await started.stderrWith("waiting 5");
  started.signal(signal);
  expect(await started.ended).toMatchObject({ exitCode, stdout: "" });
  expect(world.server.count("GET /user")).toBe(1);
});

test("C4 with the real clock", async () => {
  const world = await createRemoteWorld();
  world.server.on("GET /user", [reply({ status: 429 })], [reply(byService(world.service))]);
  const { exitCode, stderr } = await createMachine().run({ env: world.env }, "whoami");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/waiting [23] s\n$/) });
  expect(world.server.count("GET /user")).toBe(2);
});

/** Runs a create that is refused with some headers, then succeeds. */
async function createAfter({ reset, after, skew = 0 }: Advice) {
  const world = await createRemoteWorld();
  const target = `POST /calendars/${world.calendarId}/events`;
  const headers = {
    ...(reset === undefined ? {} : { "x-ratelimit-reset": reset }),
    ...(after === undefined ? {} : { "retry-after": after }),
    date: date(NOW + skew),
  };
  world.server.on(target, [reply({ status: 429, headers })], [reply(byService(world.service))]);
  const result = await world.send(
    ...["events", "create", "-c", world.calendarId, "--title", "T"],
    ...["--start", "2026-11-21T12:00", "--duration", "1h"],
  );
  const { pauses, server } = world;
  const waited = pauses.reduce((sum, pause) => sum + pause, 0);
  return { ...result, seen: server.count(target), pauses, waited };
}
