import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HandledRequest } from "../../src/service/request-handler.js";
import { createLogWriter, formatLogLine } from "../../src/service/request-log.js";
import { openService, type Service } from "../../src/service/service.js";
import { runSql } from "./support/database.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** What the operator of a service learns: the log, request ids and health. */

let world: World;
let service: Service;
let handled: HandledRequest[];
beforeEach(async () => {
  world = await createWorld({ stored: true });
  handled = [];
  service = await openService({
    database: world.database,
    now: () => world.clock.now,
    rateLimit: { limit: 2, windowSeconds: 600 },
    onHandled: (request) => handled.push(request),
  });
});
afterEach(async () => {
  await service.close();
  await world.close();
});

async function send(target: string, { method = "GET", token = world.token } = {}) {
  const headers = { authorization: `Bearer ${token}` };
  const source = { kind: "network", address: "192.0.2.1" } as const;
  const response = await service.handle({ method, target, headers, body: new Uint8Array() }, source);
  return { ...response, text: new TextDecoder().decode(response.body) };
}

test("each response has the id under which the request was logged", async () => {
  const { headers } = await send("/user?timezone=secret");
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f]{16}$/);
  expect(handled).toEqual([
    {
      id: headers["x-request-id"],
      address: "192.0.2.1",
      method: "GET",
      path: "/user",
      status: 200,
      time: NOW,
      duration: 0,
    },
  ]);
  expect((await send("/user")).headers["x-request-id"]).not.toBe(headers["x-request-id"]);
});

test("a failure is logged with its cause, which the response does not name", async () => {
  runSql(world.database, "drop table labels");
  const { status, text } = await send(`/calendars/${world.calendarId}/labels`);
  expect(status).toBe(500);
  expect(text).not.toContain("labels");
  expect(handled).toMatchObject([{ status: 500, failure: { message: "no such table: labels" } }]);
});

describe("health", () => {
  test.each(["/healthz", "/readyz"])("%s needs no token and is not counted", async (target) => {
    for (let count = 0; count < 5; count += 1) {
      expect(await send(target, { token: "none" })).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    }
    expect((await send(target, { method: "HEAD" })).text).toBe("");
    expect(await send(target, { method: "POST" })).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
    expect((await send("/user")).headers["x-ratelimit-remaining"]).toBe("1");
  });

  test("/readyz fails with the database, /healthz does not", async () => {
    runSql(world.database, "drop table settings");
    expect((await send("/healthz")).status).toBe(200);
    expect((await send("/readyz")).status).toBe(500);
  });
});

describe("a line of the log", () => {
  const request: HandledRequest = {
    id: "0123456789abcdef",
    address: "192.0.2.1",
    method: "GET",
    path: "/calendars/x",
    status: 200,
    time: NOW,
    duration: 3,
  };
  const failed = { ...request, status: 503, failure: new Error("the database is locked \u202e\u001b[31m") };

  test("as text", () => {
    expect(formatLogLine(request, "text")).toBe(
      "2026-11-21T10:00:00.000Z 0123456789abcdef 192.0.2.1 GET /calendars/x 200 3 ms",
    );
    expect(formatLogLine(failed, "text")).toBe(
      "2026-11-21T10:00:00.000Z 0123456789abcdef 192.0.2.1 GET /calendars/x 503 3 ms: the database is locked \\u202e\\u001b[31m",
    );
  });

  test("as JSON", () => {
    const { failure, ...rest } = failed;
    expect(JSON.parse(formatLogLine(failed, "json") ?? "")).toEqual({
      time: "2026-11-21T10:00:00.000Z",
      id: rest.id,
      address: rest.address,
      method: "GET",
      path: rest.path,
      status: 503,
      duration_ms: 3,
      error: failure.message,
    });
    expect(formatLogLine(request, "json")).not.toContain("error");
  });

  test("off is only written for failures", () => {
    expect(formatLogLine(request, "off")).toBeNull();
    expect(formatLogLine({ ...request, status: 404 }, "off")).toBeNull();
    expect(formatLogLine({ ...request, status: 503 }, "off")).toContain(" 503 ");
    expect(formatLogLine(failed, "off")).toBe(formatLogLine(failed, "text"));
  });

  test.each(["json", "text"] as const)("as %s is one line of ASCII, whatever the path", (format) => {
    const path = `/\u0085\u202e\n\u001b]0;x\u0007 "quoted" ${"x".repeat(10_000)}`;
    const line = formatLogLine({ ...request, path }, format) ?? "";
    expect(line).toMatch(/^[ -~]{1,500}$/);
  });
});

describe("a log that nobody reads", () => {
  test.each([
    ["text", "8 lines of the log were lost, because nobody read it"],
    ["json", '{"lost_lines":8}'],
  ] as const)("keeps a bounded number of lines, and says how many were lost: %s", async (format, notice) => {
    const waiting: { text: string; read: () => void }[] = [];
    const log = createLogWriter((text) => new Promise((read) => waiting.push({ text, read })), format);
    const line = "x".repeat(512 * 1024);
    for (let count = 0; count < 10; count += 1) log(line);
    expect(waiting).toHaveLength(2);
    for (const { read } of waiting.splice(0)) read();
    await nextTurn();
    log("next");
    log("last");
    expect(waiting.map(({ text }) => text)).toEqual([`${notice}\n`, "next\n", "last\n"]);
  });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
