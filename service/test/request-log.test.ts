import { once } from "node:events";
import { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClientFailures } from "../http/client-errors.js";
import { listen } from "../listen.js";
import type { HandledRequest } from "../request-handler.js";
import { createLogWriter, formatLogLine } from "../request-log.js";
import { openService, type Service } from "../service.js";
import { openSocket, statusesOf } from "./support/connections.js";
import { runSql } from "./support/database.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { request, sendOverSocket } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** What the operator of a service learns: the log, request ids and health. */

let world: World;
let service: Service;
let handled: HandledRequest[];
beforeEach(async () => {
  world = await createWorld();
  handled = [];
  service = await openService({
    database: world.database,
    now: () => world.clock.now,
    clock: () => world.clock.now,
    rateLimit: { limit: 2, windowSeconds: 600 },
    onHandled: (request) => handled.push(request),
  });
});
afterEach(async () => {
  await service.close();
  await world.close();
});

async function send(target: string, { method = "GET", token = world.token } = {}) {
  return request({ service, token }, `${method} ${target}`);
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

  test("/readyz asks the database once a second", async () => {
    const askAt = async (time: number) => {
      world.clock.now = NOW + time;
      return (await send("/readyz")).status;
    };
    expect(await askAt(0)).toBe(200);
    runSql(world.database, "alter table settings rename to away");
    expect([await askAt(999), await askAt(1_000)]).toEqual([200, 500]);
    runSql(world.database, "alter table away rename to settings");
    expect([await askAt(1_999), await askAt(2_000)]).toEqual([500, 200]);
  });
});

describe("over a socket", () => {
  let listener: Awaited<ReturnType<typeof listen>>;
  beforeEach(async () => {
    listener = await listen(service, { host: "127.0.0.1", port: 0 });
  });
  afterEach(() => listener.close());

  /** Sends bytes and resolves with the heads of all responses, when the connection ends. */
  async function headsOf(bytes: string): Promise<string[]> {
    const socket = await openSocket(listener);
    socket.write(bytes);
    return (await text(socket))
      .split(/(?=HTTP\/1\.1 )/)
      .map((response) => response.split("\r\n\r\n")[0] ?? "");
  }
  const headerOf = (head: string | undefined, name: string) =>
    new RegExp(`^${name}: (.*)$`, "im").exec(head ?? "")?.[1]?.trim();
  const post = (headers: readonly string[]) =>
    [
      `POST /calendars/${world.calendarId}/events HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${world.token}`,
      "Content-Type: application/json",
      ...headers,
      "\r\n",
    ].join("\r\n");

  test.each([
    ["no HTTP", "\x16\x03\x01 not HTTP\r\n\r\n", 400, "-", "-"],
    ["another version", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "-", "-"],
    ["a header that is too long", `GET /user HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "-", "-"],
    ["no Host", "GET /user HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "GET", "/user"],
    [
      "an unknown expectation",
      "POST /user HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n{}",
      417,
      "POST",
      "/user",
    ],
  ])("%s is answered and logged", async (_, bytes, status, method, path) => {
    const [head, ...more] = await headsOf(bytes);
    expect(more).toEqual([]);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(headerOf(head, "content-type")).toBe("application/problem+json");
    expect(headerOf(head, "connection")).toBe("close");
    const id = headerOf(head, "x-request-id");
    expect(handled).toEqual([
      { id, address: "127.0.0.1", method, path, status, time: NOW, duration: expect.any(Number) },
    ]);
  });

  test("a body in malformed chunks is answered and logged once, under its request", async () => {
    const [head, ...more] = await headsOf(`${post(["Transfer-Encoding: chunked"])}ZZ\r\n{}`);
    expect(more).toEqual([]);
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    const path = `/calendars/${world.calendarId}/events`;
    const id = headerOf(head, "x-request-id");
    expect(handled).toMatchObject([{ id, method: "POST", path, status: 400 }]);
  });

  test("what follows a request is answered after it", async () => {
    const body = JSON.stringify(eventBody(KEEP));
    const [created, refused] = await headsOf(
      `${post([`Content-Length: ${body.length}`])}${body}BROKEN\r\n\r\n`,
    );
    expect(created).toMatch(/^HTTP\/1\.1 201 /);
    expect(refused).toMatch(/^HTTP\/1\.1 400 /);
    expect(handled).toMatchObject([
      { status: 201, id: headerOf(created, "x-request-id") },
      { status: 400, id: headerOf(refused, "x-request-id") },
    ]);
  });

  test.each([
    ["HPE_CHUNK_EXTENSIONS_OVERFLOW", 413],
    ["ERR_HTTP_REQUEST_TIMEOUT", 408],
    ["ECONNRESET", undefined],
    ["ERR_SSL_HTTP_REQUEST", undefined],
  ])("the parser's error %s is %s", (code, status) => {
    const error = Object.assign(new Error("x"), { code });
    expect(createClientFailures().note(error, new Socket())?.status).toBe(status);
  });

  describe("100 Continue", () => {
    const body = JSON.stringify(eventBody(KEEP));
    const length = `Content-Length: ${body.length}`;
    const expectation = "Expect: 100-continue";

    test("is sent when the body is needed", async () => {
      const socket = await openSocket(listener);
      const answered = statusesOf(socket, 2);
      const asked = once(socket, "data");
      socket.write(post([length, expectation]));
      expect(String((await asked)[0])).toBe("HTTP/1.1 100 Continue\r\n\r\n");
      socket.write(body);
      expect(await answered).toEqual(["100", "201"]);
    });

    test.each([
      ["the token is not valid", [length, "Authorization: Bearer x"], 401],
      ["the body is too large", [`Content-Length: ${2 * 1024 * 1024}`], 413],
      ["the type is not accepted", [length, "Accept: text/html"], 406],
    ])("is not sent when %s, and the connection is closed", async (_, headers, status) => {
      const request = post([...headers, expectation]);
      const own = headers.some((header) => header.startsWith("Authorization"));
      const heads = await headsOf(
        own ? request.replace(`Authorization: Bearer ${world.token}\r\n`, "") : request,
      );
      expect(heads.map((head) => head.split(" ")[1])).toEqual([String(status)]);
      expect(handled).toMatchObject([{ status }]);
    });

    test("is not sent beyond the rate limit", async () => {
      for (let count = 0; count < 2; count += 1) {
        const headers = { authorization: `Bearer ${world.token}` };
        await sendOverSocket(listener.baseUrl)({
          method: "GET",
          target: "/user",
          headers,
          body: new Uint8Array(),
        });
      }
      const [head, ...more] = await headsOf(post([length, expectation]));
      expect([head?.split(" ")[1], ...more]).toEqual(["429"]);
    });
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

describe("the writer of the log", () => {
  function createReader() {
    const waiting: { text: string; read: () => void }[] = [];
    const write = (text: string) => new Promise<void>((read) => waiting.push({ text, read }));
    const readAll = async () => {
      for (const { read } of waiting.splice(0)) read();
      await nextTurn();
    };
    return { waiting, write, readAll };
  }

  test.each([
    ["text", "8 lines of the log were lost, because nobody read it"],
    ["json", '{"lost_lines":8}'],
  ] as const)("keeps a bounded number of lines, and says how many were lost: %s", async (format, notice) => {
    const { waiting, write, readAll } = createReader();
    const log = createLogWriter(write, format);
    const line = "x".repeat(512 * 1024);
    for (let count = 0; count < 10; count += 1) log(line);
    expect(waiting).toHaveLength(1);
    const written = waiting.map(({ text }) => text);
    await readAll();
    written.push(...waiting.map(({ text }) => text));
    expect(written).toEqual([`${line}\n`, `${line}\n`]);
    await readAll();
    log("next");
    log("last");
    expect(waiting.map(({ text }) => text)).toEqual([`${notice}\nnext\n`]);
    await readAll();
    expect(waiting.map(({ text }) => text)).toEqual(["last\n"]);
  });

  test("writes once at a time, and then all lines that have waited", async () => {
    const { waiting, write, readAll } = createReader();
    const log = createLogWriter(write, "text");
    for (let count = 0; count < 1_000; count += 1) log(`line ${count}`);
    expect(waiting.map(({ text }) => text)).toEqual(["line 0\n"]);
    await readAll();
    expect(waiting).toHaveLength(1);
    expect(waiting[0]?.text.split("\n")).toHaveLength(1_000);
    await readAll();
    expect(waiting).toEqual([]);
    log("later");
    expect(waiting.map(({ text }) => text)).toEqual(["later\n"]);
  });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
