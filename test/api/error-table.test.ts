import { describe, expect, test } from "vitest";
import { createCertificate } from "../service/support/certificate.js";
import { startFaultServer } from "../support/fault-server.js";
import {
  byService,
  close,
  cut,
  drip,
  dripForever,
  halfClose,
  hang,
  leave,
  receive,
  reply,
  reset,
  type Script,
  send,
} from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";

/** What each failure means to each method: how often the server saw the request, the exit code, the sentence. */

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A command line per method; the second POST is a comment. CALENDAR and EVENT stand for their ids. */
const COMMANDS: readonly (readonly [Method, string, readonly string[]])[] = [
  ["GET", "/calendars/CALENDAR/events/EVENT", ["events", "get", "EVENT"]],
  ["PUT", "/calendars/CALENDAR/events/EVENT", ["events", "update", "EVENT", "--title", "X"]],
  ["DELETE", "/calendars/CALENDAR/events/EVENT", ["events", "delete", "EVENT", "--yes"]],
  [
    "POST",
    "/calendars/CALENDAR/events",
    ["events", "create", "--title", "T", "--start", "2026-11-21T12:00", "--duration", "1h"],
  ],
  ["POST", "/calendars/CALENDAR/events/EVENT/activities", ["comment", "EVENT", "Yes"]],
];

const IDEMPOTENT = COMMANDS.filter(([method]) => method !== "POST");
const POSTS = COMMANDS.filter(([method]) => method === "POST");

interface Expected {
  readonly exitCode: number;
  /** How often the server saw the request. */
  readonly seen: number;
}

interface Row {
  readonly name: string;
  readonly script: Script;
  /** Part of the sentence. */
  readonly message: string;
  readonly flags?: readonly string[];
  /** GET, PUT and DELETE. */
  readonly idempotent: Expected;
  readonly post: Expected;
}

/** Repeated where that is safe, and in doubt where it is not. */
const PASSING = { idempotent: { exitCode: 8, seen: 4 }, post: { exitCode: 9, seen: 1 } };
/** As it is, and in doubt where a write may have been done. */
const LASTING = { idempotent: { exitCode: 11, seen: 1 }, post: { exitCode: 9, seen: 1 } };
/** Real time passes, so there is one repeat. */
const SLOW = {
  flags: ["--timeout", "0.2", "--retries", "1"],
  idempotent: { exitCode: 8, seen: 2 },
  post: { exitCode: 9, seen: 1 },
};

const DOCUMENT = '{"data":{"id":"e1","type":"event","attributes":{"title":"T"}}}';
const WHOLE = { status: 200, body: DOCUMENT };
const HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${DOCUMENT.length}\r\n\r\n`;
const MEBIBYTE = 1024 * 1024;
const NO_ANSWER = "closed the connection without an answer";

const NO_WHOLE_ANSWER: readonly Row[] = [
  { name: "closed without an answer", script: [receive, close], message: NO_ANSWER, ...PASSING },
  { name: "closed within the request", script: [close], message: NO_ANSWER, ...PASSING },
  { name: "half closed", script: [receive, halfClose, hang], message: NO_ANSWER, ...PASSING },
  { name: "reset", script: [receive, reset], message: NO_ANSWER, ...PASSING },
  {
    name: "reset within the head",
    script: [receive, send("HTTP/1.1 200 OK\r\ncontent-le"), reset],
    message: NO_ANSWER,
    ...PASSING,
  },
  {
    name: "reset within the body",
    script: [receive, send(`${HEAD}${DOCUMENT.slice(0, 9)}`), reset],
    message: "was cut short",
    ...PASSING,
  },
  { name: "cut short of its length", script: [cut(WHOLE, { at: -3 })], message: "was cut short", ...PASSING },
  {
    name: "cut within a chunk",
    script: [cut(WHOLE, { at: -12, framing: "chunked" })],
    message: "was cut short",
    ...PASSING,
  },
  {
    name: "cut before the last chunk",
    script: [cut(WHOLE, { at: -5, framing: "chunked" })],
    message: "was cut short",
    ...PASSING,
  },
  {
    name: "cut with nothing that tells its length",
    script: [cut(WHOLE, { at: -3, framing: "close" })],
    message: "was cut short",
    ...PASSING,
  },
  { name: "silence", script: [receive, hang], message: "no whole answer within 0.2 seconds", ...SLOW },
  {
    name: "silence within the body",
    script: [receive, send(`${HEAD}${DOCUMENT.slice(0, 9)}`), hang],
    message: "no whole answer within 0.2 seconds",
    ...SLOW,
  },
  {
    name: "a body that never ends",
    script: [receive, send("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"), dripForever(" ")],
    message: "no whole answer within 0.2 seconds",
    ...SLOW,
  },
  {
    name: "more than 32 MiB",
    script: [reply({ status: 200, body: Buffer.alloc(33 * MEBIBYTE, " ") })],
    message: "is larger than 32 MiB",
    ...LASTING,
  },
  {
    name: "headers without end",
    script: [reply({ status: 200, headers: { "x-long": "x".repeat(100_000) }, body: DOCUMENT })],
    message: "",
    ...LASTING,
  },
  { name: "another protocol", script: [receive, send("SSH-2.0-server\r\n"), close], message: "", ...LASTING },
];

const ONCE = { seen: 1 };
const REFUSED = { exitCode: 11, ...ONCE };

const STATUSES: readonly Row[] = [
  ...[300, 304, 400, 405, 406, 409, 410, 412, 413, 415, 418, 422, 451].map((status) => ({
    ...answered(status),
    message: "",
    idempotent: REFUSED,
    post: REFUSED,
  })),
  ...[301, 302, 303, 307, 308].map((status) => ({
    ...answered(status, { location: "http://127.0.0.2:9/elsewhere" }),
    message: "redirects to http://127.0.0.2:9",
    idempotent: REFUSED,
    post: REFUSED,
  })),
  ...(
    [
      [401, 4, "the service refused the token"],
      [403, 6, "may not do this"],
      [404, 5, "not found: "],
    ] as const
  ).map(([status, exitCode, message]) => ({
    ...answered(status),
    message,
    idempotent: { exitCode, ...ONCE },
    post: { exitCode, ...ONCE },
  })),
  { ...answered(408), message: "(408)", idempotent: { exitCode: 11, seen: 4 }, post: REFUSED },
  ...[500, 502, 503, 504].map((status) => ({
    ...answered(status),
    message: `the service answered ${status}`,
    ...PASSING,
  })),
  ...[501, 505, 507, 599].map((status) => ({
    ...answered(status),
    message: `the service answered ${status}`,
    idempotent: { exitCode: 8, ...ONCE },
    post: { exitCode: 9, ...ONCE },
  })),
];

function answered(status: number, headers: Readonly<Record<string, string>> = {}) {
  return { name: `status ${status}`, script: [reply({ status, headers, body: "<html>" })] };
}

const ROWS = [...NO_WHOLE_ANSWER, ...STATUSES];

/** Runs a command with the fault in the way of its own request, and its calendars and event read undisturbed. */
async function meet(
  world: RemoteWorld,
  [method, path, argv]: (typeof COMMANDS)[number],
  flags: readonly string[] = [],
) {
  const result = await world.send(...argv.map((word) => fill(world, word)), "-c", world.calendarId, ...flags);
  return { ...result, seen: world.server.count(`${method} ${fill(world, path)}`) };
}

function fill({ calendarId, eventId }: RemoteWorld, text: string): string {
  return text.replace("CALENDAR", calendarId).replace("EVENT", eventId);
}

/** One sentence and a hint, behind the notes on repeats; no stack and nothing on stdout. */
function lastSentence({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  expect(stdout).toBe("");
  expect(stderr).not.toMatch(/\n\s+at /);
  return /^error: (.+)\n(?:hint: .+\n)?$/m.exec(stderr)?.[1] ?? `no sentence in ${stderr}`;
}

async function expectRow(row: Row, command: (typeof COMMANDS)[number]): Promise<void> {
  const world = await createRemoteWorld();
  const [method, path] = command;
  world.server.on(`${method} ${fill(world, path)}`, row.script);
  const result = await meet(world, command, row.flags);
  const { exitCode, seen } = method === "POST" ? row.post : row.idempotent;
  const sentence = lastSentence(result);
  expect({ exitCode: result.exitCode, seen: result.seen, sentence }).toEqual({
    exitCode,
    seen,
    sentence: expect.stringContaining(row.message),
  });
  expect(world.pauses).toHaveLength(seen - 1);
  if (exitCode === 9) expect(sentence).toContain("it may have been done all the same");
}

describe.each(IDEMPOTENT)("C1 %s %s", (...command) => {
  test.each(ROWS.map((row) => [row.name, row] as const))("%s", (_, row) => expectRow(row, command));
});

describe.each(POSTS)("C2 %s %s reaches the server once", (...command) => {
  test.each(ROWS.map((row) => [row.name, row] as const))("%s", (_, row) => expectRow(row, command));
});

/** The request before the one that is to fail: after it the server is gone. */
function goBefore(world: RemoteWorld, method: Method): void {
  const { server, service, calendarId, eventId } = world;
  const last = method === "PUT" ? `GET /calendars/${calendarId}/events/${eventId}` : "GET /calendars";
  const answer = byService(service);
  const closing = async (request: Parameters<typeof answer>[0]) => {
    const { headers, ...rest } = await answer(request);
    return { ...rest, headers: { ...headers, connection: "close" } };
  };
  // No connection stays open that could be used again.
  server.otherwise([reply(closing), close]);
  server.on(last, [receive, leave, reply(closing), close]);
}

describe("what surely never arrived", () => {
  test.each(COMMANDS)("C1 C2 %s %s, refused: repeated, and safe to repeat", async (...command) => {
    const world = await createRemoteWorld();
    goBefore(world, command[0]);
    const result = await meet(world, command);
    expect(result).toMatchObject({ exitCode: 8, seen: 0 });
    expect(lastSentence(result)).toContain(`nothing listens at ${world.server.host}`);
    expect(world.pauses).toHaveLength(3);
  });

  test.each(COMMANDS)("C1 C2 %s %s, refused until the service is back: done once", async (...command) => {
    let pauses = 0;
    const world = await createRemoteWorld({
      async duringPause() {
        pauses += 1;
        if (pauses === 2) await world.server.comeBack();
      },
    });
    goBefore(world, command[0]);
    expect(await meet(world, command)).toMatchObject({ exitCode: 0, seen: 1 });
    expect(pauses).toBe(2);
  });

  test.each(COMMANDS)("C1 C2 %s %s, no connection in time: repeated", async (...command) => {
    const world = await createRemoteWorld();
    const silent = await startFaultServer();
    silent.onConnection([hang], [hang]);
    const env = { ...world.env, CALCTL_BASE_URL: silent.baseUrl.replace("http:", "https:") };
    const [, , argv] = command;
    const words = argv.map((word) => fill(world, word));
    const result = await world.runWith({ env }, ...words, "-c", "x", "--timeout", "0.2", "--retries", "1");
    expect(result).toMatchObject({ exitCode: 8, stdout: "" });
    expect(silent.connections).toHaveLength(2);
  });

  test.each(COMMANDS)("C9 %s %s, a certificate nobody trusts: asked once", async (...command) => {
    const world = await createRemoteWorld();
    const server = await startFaultServer({ tls: createCertificate() });
    const env = { ...world.env, CALCTL_BASE_URL: server.baseUrl.replace("127.0.0.1", "localhost") };
    const result = await world.runWith({ env }, ...command[2].map((word) => fill(world, word)), "-c", "x");
    expect(result).toMatchObject({ exitCode: 10, stdout: "" });
    expect(result.stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect({ connections: server.connections.length, pauses: world.pauses }).toEqual({
      connections: 1,
      pauses: [],
    });
  });
});

describe("what succeeds all the same", () => {
  test.each(IDEMPOTENT)("C1 %s %s, reset three times, then answered", async (...command) => {
    const world = await createRemoteWorld();
    const target = `${command[0]} ${fill(world, command[1])}`;
    world.server.on(target, [receive, reset], [reset], [close], [reply(byService(world.service))]);
    expect(await meet(world, command)).toMatchObject({ exitCode: 0, seen: 4 });
    expect(world.pauses).toEqual([250, 500, 1000]);
  });

  test.each(COMMANDS)("C1 %s %s, byte by byte and behind an early hint", async (...command) => {
    const world = await createRemoteWorld();
    const early = drip("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
    world.server.on(`${command[0]} ${fill(world, command[1])}`, [
      receive,
      early,
      reply(byService(world.service)),
    ]);
    expect(await meet(world, command)).toMatchObject({ exitCode: 0, seen: 1 });
  });
});
