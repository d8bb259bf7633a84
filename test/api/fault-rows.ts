import {
  close,
  cut,
  dripForever,
  halfClose,
  hang,
  receive,
  reply,
  reset,
  type Script,
  send,
} from "../support/fault-steps.js";

/** What may go wrong with one request, and the result for each method. */

type Method = "GET" | "POST" | "PUT" | "DELETE";

export type FaultedCommand = readonly [Method, string, readonly string[]];

/**
 * A command line per method, with the path of its own request. CALENDAR and EVENT stand for their ids.
 * C13: with --debug everything on the wire is printed, and the harness fails a run that prints its token.
 */
export const GET: FaultedCommand = ["GET", "/calendars/CALENDAR/events/EVENT", ["events", "get", "EVENT"]];
export const CREATE: FaultedCommand = [
  "POST",
  "/calendars/CALENDAR/events",
  ["events", "create", "--title", "T", "--start", "2026-11-21T12:00", "--duration", "1h", "--debug"],
];
export const OTHERS: readonly FaultedCommand[] = [
  ["PUT", "/calendars/CALENDAR/events/EVENT", ["events", "update", "EVENT", "--title", "X"]],
  ["DELETE", "/calendars/CALENDAR/events/EVENT", ["events", "delete", "EVENT", "--yes", "--debug"]],
  ["POST", "/calendars/CALENDAR/events/EVENT/activities", ["comment", "EVENT", "Yes"]],
];

interface Expected {
  readonly exitCode: number;
  /** How often the server saw the request. */
  readonly seen: number;
}

export interface FaultRow {
  readonly name: string;
  readonly script: Script;
  /** Part of the sentence. */
  readonly message: string;
  /** GET, PUT and DELETE. */
  readonly idempotent: Expected;
  readonly post: Expected;
}

/** Retried if that is safe; otherwise the outcome is unknown. */
const PASSING = { idempotent: { exitCode: 8, seen: 4 }, post: { exitCode: 9, seen: 1 } };
/** Not retried; the outcome is unknown if a write may have succeeded. */
const LASTING = { idempotent: { exitCode: 11, seen: 1 }, post: { exitCode: 9, seen: 1 } };

const DOCUMENT = '{"data":{"id":"e1","type":"event","attributes":{"title":"T"}}}';
const WHOLE = { status: 200, body: DOCUMENT };
const HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${DOCUMENT.length}\r\n\r\n`;
const MEBIBYTE = 1024 * 1024;
const NO_RESPONSE = "closed the connection without a response";

export const NO_COMPLETE_RESPONSE: readonly FaultRow[] = [
  { name: "closed without an answer", script: [receive, close], message: NO_RESPONSE, ...PASSING },
  { name: "closed in the request", script: [close], message: NO_RESPONSE, ...PASSING },
  { name: "half closed", script: [receive, halfClose, hang], message: NO_RESPONSE, ...PASSING },
  { name: "reset", script: [receive, reset], message: NO_RESPONSE, ...PASSING },
  {
    name: "reset in the head",
    script: [receive, send("HTTP/1.1 200 OK\r\ncontent-le"), reset],
    message: NO_RESPONSE,
    ...PASSING,
  },
  {
    name: "reset in the body",
    script: [receive, send(`${HEAD}${DOCUMENT.slice(0, 9)}`), reset],
    message: "was cut short",
    ...PASSING,
  },
  { name: "cut short of its length", script: [cut(WHOLE, { at: -3 })], message: "was cut short", ...PASSING },
  {
    name: "cut in a chunk",
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
    name: "cut before the last chunk of a connection that was to close",
    script: [cut({ ...WHOLE, headers: { connection: "close" } }, { at: -5, framing: "chunked" })],
    message: "was cut short",
    ...PASSING,
  },
  {
    name: "more than its length",
    script: [receive, send(`${HEAD.replace(/\d+\r/, "60\r")}${DOCUMENT}`), close],
    message: "was cut short",
    ...PASSING,
  },
  {
    name: "HTTP/1.0, cut",
    script: [receive, send(`HTTP/1.0 200 OK\r\n\r\n${DOCUMENT.slice(0, 9)}`), close],
    message: "was cut short",
    ...PASSING,
  },
  {
    name: "go on, and nothing more",
    script: [receive, send("HTTP/1.1 100 Continue\r\n\r\n"), close],
    message: "unexpected interim response (such as 100 Continue)",
    ...PASSING,
  },
  {
    name: "cut with nothing that tells its length",
    script: [cut(WHOLE, { at: -3, framing: "close" })],
    message: "was cut short",
    ...PASSING,
  },
  { name: "silence", script: [receive, hang], message: "after 30 seconds", ...PASSING },
  {
    name: "silence in the body",
    script: [receive, send(`${HEAD}${DOCUMENT.slice(0, 9)}`), hang],
    message: "after 30 seconds",
    ...PASSING,
  },
  {
    name: "a body that never ends",
    script: [receive, send("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"), dripForever(" ")],
    message: "after 30 seconds",
    ...PASSING,
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
    message: "the response headers",
    ...LASTING,
  },
  ...[
    ["two lengths", HEAD.replace("\r\n\r\n", "\r\ncontent-length: 5\r\n\r\n")],
    ["a length and chunks", HEAD.replace("\r\n\r\n", "\r\ntransfer-encoding: chunked\r\n\r\n")],
    ["a length below 0", HEAD.replace(/\d+\r/, "-1\r")],
    ["a chunk of no size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
    ["a NUL in a header", HEAD.replace("\r\n", "\r\nx: a\0b\r\n")],
  ].map(([name = "", head]) => ({
    name,
    script: [receive, send(`${head}${DOCUMENT}`), close],
    message: "is not valid HTTP",
    ...LASTING,
  })),
  {
    name: "another protocol",
    script: [receive, send("SSH-2.0-server\r\n"), close],
    message: "is not valid HTTP",
    ...LASTING,
  },
];

const ONCE = { seen: 1 };
const REFUSED = { exitCode: 11, ...ONCE };

export const STATUSES: readonly FaultRow[] = [
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
  {
    name: "status 404 with a body that is reset",
    script: [receive, send("HTTP/1.1 404 Not Found\r\ncontent-length: 99\r\n\r\n{"), reset],
    message: "not found: ",
    idempotent: { exitCode: 5, ...ONCE },
    post: { exitCode: 5, ...ONCE },
  },
  {
    name: "status 400 with a body past any size",
    script: [reply({ status: 400, body: Buffer.alloc(33 * MEBIBYTE, " ") })],
    message: "(400)",
    idempotent: REFUSED,
    post: REFUSED,
  },
  { ...answered(408), message: "(408)", idempotent: { exitCode: 11, seen: 4 }, post: REFUSED },
  ...[500, 502, 503, 504].map((status) => ({
    ...answered(status),
    message: `the service returned ${status}`,
    ...PASSING,
  })),
  ...[501, 505, 507, 599].map((status) => ({
    ...answered(status),
    message: `the service returned ${status}`,
    idempotent: { exitCode: 8, ...ONCE },
    post: { exitCode: 9, ...ONCE },
  })),
];

function answered(status: number, headers: Readonly<Record<string, string>> = {}) {
  return { name: `status ${status}`, script: [reply({ status, headers, body: "<html>" })] };
}
