import { describe, expect, test } from "vitest";
import { receive, reply, reset } from "../support/fault-steps.js";
import { NOW } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { createRemoteWorld } from "../support/remote-world.js";

/** Retries and rate limits as users see them. Waits take no time here. */

const USER = "GET /user";
const BUSY = [reply({ status: 503 })];
const refused = (seconds: string) => [reply({ status: 429, headers: { "retry-after": seconds } })];
const lastOne = (seconds: number) => {
  const headers = {
    "x-ratelimit-limit": "600",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(NOW / 1000 + seconds),
  };
  return [
    reply({ status: 200, headers, body: '{"data":{"id":"u1","type":"user","attributes":{"name":"ana"}}}' }),
  ];
};

describe("a retry", () => {
  test("is announced with its reason, after increasing delays", async () => {
    const { server, send, pauses } = await createRemoteWorld();
    server.on(USER, BUSY);
    const { exitCode, stdout, stderr } = await send("whoami");
    expect({ exitCode, stdout }).toEqual({ exitCode: 8, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      "GET /user: the service returned 503; retrying in 0.3 s (1 of 3)",
      "GET /user: the service returned 503; retrying in 0.5 s (2 of 3)",
      "GET /user: the service returned 503; retrying in 1.0 s (3 of 3)",
      "error: the current user: the service returned 503 (4 attempts)",
      "hint: try again later; this is safe to repeat",
    ]);
    expect(pauses).toEqual([250, 500, 1000]);
    expect(server.count(USER)).toBe(4);
  });

  test("is not announced with --quiet, and --retries limits the number", async () => {
    const { server, send } = await createRemoteWorld();
    server.on(USER, BUSY);
    const { stderr } = await send("whoami", "--quiet", "--retries", "1");
    expect(stderr.split("\n")[0]).toBe("error: the current user: the service returned 503 (2 attempts)");
    expect(server.count(USER)).toBe(2);
  });

  test("waits for the Retry-After of a 503", async () => {
    const { server, send, pauses } = await createRemoteWorld();
    server.on(USER, [reply({ status: 503, headers: { "retry-after": "7" } })], lastOne(600));
    expect((await send("whoami")).exitCode).toBe(0);
    expect(pauses).toEqual([7000]);
  });
});

test("a wait for the rate limit is no difference between two clocks", async () => {
  const world = await createRemoteWorld();
  const body = '{"data":{"id":"u1","type":"user","attributes":{"name":"ana"}}}';
  const headers = { date: new Date(NOW + 300_000).toUTCString() };
  world.server.on(USER, refused("300"), [reply({ status: 200, headers, body })]);
  const { exitCode, stdout } = await world.send("status", "--max-wait", "600", "-o", "json");
  expect({ exitCode, skew: JSON.parse(stdout).clock_skew_seconds }).toEqual({ exitCode: 0, skew: 1 });
});

test.each([
  ["Sat, 21 Nov 2026 14:32:00 GMT", "try again in 120 seconds, as the service asks; this is safe to repeat"],
  ["Sat, 21 Nov 2026 14:29:00 GMT", "try again later; this is safe to repeat"],
  ["31536000", "the service asks to wait 365 days, which may be a mistake"],
  ["soon", "try again later; this is safe to repeat"],
])("a 503 with Retry-After %s is reported correctly", async (after, hint) => {
  const { server, send } = await createRemoteWorld();
  const headers = { date: "Sat, 21 Nov 2026 14:30:00 GMT", "retry-after": after };
  server.on(USER, [reply({ status: 503, headers })]);
  const { exitCode, stderr } = await send("whoami");
  expect(exitCode).toBe(8);
  expect(stderr.trimEnd().split("\n").at(-1)).toBe(`hint: ${hint}`);
});

describe("a rate limit", () => {
  test("is waited for: one line, then the result", async () => {
    const { server, send, pauses } = await createRemoteWorld();
    server.on(USER, refused("5"), lastOne(600));
    const { exitCode, stdout, stderr } = await send("whoami");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "u1\tana\t\n" });
    expect(stderr).toBe("rate limit reached: waiting 7 s\n");
    expect(pauses).toEqual([6500]);
  });

  test("is counted down on a terminal, and the line is removed afterwards", async () => {
    const { server, env, runWith } = await createRemoteWorld();
    server.on(USER, refused("1"), lastOne(600));
    const { stderr } = await runWith({ env, columns: 80 }, "whoami");
    const clear = "\r\u001b[2K";
    const line = (seconds: number) => `${clear}rate limit reached: waiting ${seconds} s, Ctrl-C to cancel`;
    expect(stderr).toBe(`${line(3)}${line(2)}${line(1)}${clear}`);
  });

  test.each([
    [50, "rate limit reached: waiting 3 s, Ctrl-C to cancel"],
    [49, "rate limit reached: waiting 3 s"],
    [31, "waiting 3 s"],
    [20, "waiting 3 s"],
    [5, "3 s"],
  ])("is counted down in one line of %i columns", async (columns, line) => {
    const { server, env, runWith } = await createRemoteWorld();
    server.on(USER, refused("1"), lastOne(600));
    const { stderr } = await runWith({ env, columns }, "whoami");
    expect(stderr.split("\r\u001b[2K")[1]).toBe(line);
  });

  test("beyond --max-wait is exit 7 with the reset time and a hint", async () => {
    const { server, send, pauses } = await createRemoteWorld();
    server.on(USER, refused("61"));
    const { exitCode, stderr } = await send("whoami");
    expect(exitCode).toBe(7);
    expect(stderr).toBe(
      "error: the service's rate limit has been reached\nhint: try again in 61 seconds, or wait for it with --max-wait 61\n",
    );
    expect(pauses).toEqual([]);
    server.on(USER, refused("1"));
    expect((await send("whoami", "--max-wait", "0")).exitCode).toBe(7);
  });

  test("beyond --max-wait after a wait: the hint includes both waits", async () => {
    const { server, send, pauses } = await createRemoteWorld();
    server.on(USER, refused("5"), refused("30"));
    const { exitCode, stderr } = await send("whoami", "--max-wait", "20");
    expect({ exitCode, pauses }).toEqual({ exitCode: 7, pauses: [6500] });
    expect(stderr).toContain("hint: try again in 30 seconds, or wait for it with --max-wait 37\n");
  });

  test("a create that was rejected is sent again after the wait", async () => {
    const { server, send, calendarId } = await createRemoteWorld();
    const path = `POST /calendars/${calendarId}/events`;
    server.on(path, refused("2"), [
      reply({ status: 201, body: '{"data":{"id":"new","type":"event","attributes":{"title":"T"}}}' }),
    ]);
    server.on("GET /calendars", [
      reply({
        status: 200,
        body: `{"data":[{"id":"${calendarId}","type":"calendar","attributes":{"name":"Ana"}}]}`,
      }),
    ]);
    const times = ["--start", "2026-11-21T12:00", "--duration", "1h"];
    const { exitCode } = await send("events", "create", "-c", calendarId, "--title", "T", ...times);
    expect(exitCode).toBe(0);
    expect(server.count(path)).toBe(2);
  });
});

describe("when no requests are left in the window", () => {
  test("the next process waits before its request", async () => {
    const { server, send, pauses } = await createRemoteWorld();
    server.on(USER, lastOne(30));
    expect((await send("whoami")).exitCode).toBe(0);
    expect(pauses).toEqual([]);
    expect((await send("whoami")).exitCode).toBe(0);
    expect(pauses).toEqual([31_500]);
  });

  test("if the wait is too long, the next process sends no request", async () => {
    const { server, send } = await createRemoteWorld();
    server.on(USER, lastOne(600));
    await send("whoami");
    server.forget();
    expect(await send("whoami")).toMatchObject(
      failed(7, "error: the service's rate limit has been reached, according to an earlier response"),
    );
    expect(server.requests).toEqual([]);
  });

  test("another token has its own limit", async () => {
    const { server, env, service, send, runWith, pauses } = await createRemoteWorld();
    server.on(USER, lastOne(30));
    await send("whoami");
    const { token } = await service.admin.tokens.create({ user: "ana", readOnly: true });
    expect((await runWith({ env: { ...env, CALCTL_TOKEN: token } }, "whoami")).exitCode).toBe(0);
    expect(pauses).toEqual([]);
  });
});

describe("a write that may have succeeded and is then rejected", () => {
  const RESET = [receive, reset];
  const answer = (status: number) => [reply({ status })];

  test.each([
    [
      "for the rate limit",
      refused("600"),
      8,
      "the service's rate limit has been reached; an earlier attempt may have succeeded",
    ],
    [
      "with 401",
      answer(401),
      8,
      "the service refused the token (from CALCTL_TOKEN); an earlier attempt may have succeeded",
    ],
    ["with 403", answer(403), 8, "the token's owner may not do this; an earlier attempt may have succeeded"],
    [
      "with 400",
      answer(400),
      11,
      "the service refused the request (400); an earlier attempt may have succeeded",
    ],
  ] as const)("%s: is not reported as undone", async (_, refusal, exitCode, words) => {
    for (const [method, argv] of [
      ["PUT", ["events", "update", "EVENT", "--title", "X"]],
      ["DELETE", ["events", "delete", "EVENT", "--yes"]],
    ] as const) {
      const { server, send, calendarId, eventId } = await createRemoteWorld();
      server.on(`${method} /calendars/${calendarId}/events/${eventId}`, RESET, refusal);
      const typed = argv.map((word) => (word === "EVENT" ? eventId : word));
      const result = await send(...typed, "-c", calendarId);
      expect(result).toMatchObject(failed(exitCode, words));
    }
  });

  test("an update of an event that was deleted meanwhile is still exit 5", async () => {
    const { server, send, calendarId, eventId } = await createRemoteWorld();
    server.on(`PUT /calendars/${calendarId}/events/${eventId}`, BUSY, answer(404));
    expect((await send("events", "update", eventId, "-c", calendarId, "--title", "X")).exitCode).toBe(5);
  });

  test("a read has no unknown outcome", async () => {
    const { server, send } = await createRemoteWorld();
    server.on(USER, BUSY, refused("600"));
    expect(await send("whoami")).toMatchObject(
      failed(7, "error: the service's rate limit has been reached\n"),
    );
  });
});

test("the error of a write with a read-only token names the token", async () => {
  const { env, service, runWith } = await createRemoteWorld();
  const { token } = await service.admin.tokens.create({ user: "ana", readOnly: true });
  const result = await runWith({ env: { ...env, CALCTL_TOKEN: token } }, "feeds", "add");
  expect(result).toMatchObject(failed(6, "the feed: the token may not do this"));
  expect(result.stderr).toContain("this token is read-only");
});

test.each([
  [401, ["update", "--title", "X"], 4, "updated"],
  [429, ["update", "--title", "X"], 7, "updated"],
  [401, ["delete", "--yes"], 4, "deleted"],
  [429, ["delete", "--yes"], 7, "deleted"],
] as const)(
  "a %i while several events are read for %j names the events that were not processed",
  async (status, argv, code, done) => {
    const { server, send, calendarId, eventId } = await createRemoteWorld();
    const refused = reply({ status, headers: { "retry-after": "900" } });
    server.on(`GET /calendars/${calendarId}/events/second`, [refused]);
    const ids = [eventId, "second", "third"];
    const { exitCode, stderr } = await send("events", ...argv, ...ids, "-c", calendarId);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(`event second could not be ${done}: `);
    expect(stderr).toContain(`events not tried: ${eventId}, third\n`);
    expect(stderr).toContain(`error: none of 3 events was ${done}: `);
    expect(server.requests.map(({ method }) => method)).not.toContain(done === "deleted" ? "DELETE" : "PUT");
  },
);
