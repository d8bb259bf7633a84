import { expect, test } from "vitest";
import { type TraceOptions, withTrace } from "../../../src/api/trace/trace.js";
import { type HttpRequest, type Transport, TransportError } from "../../../src/api/transport.js";
import { CliError } from "../../../src/errors.js";

const REQUEST: HttpRequest = {
  method: "POST",
  url: "https://calendar.example/calendars/cal/events?x=1",
  headers: { accept: "application/json", authorization: "Bearer secret-token" },
  body: '{"title":"secret-title"}',
};

const ANSWER = {
  status: 201,
  headers: { "set-cookie": "secret-cookie", location: "https://u:pass@elsewhere.example/?code=secret-code" },
  body: new TextEncoder().encode('{"id":"1","access_token":"secret-answer"}'),
};

/** The lines of one attempt, with a clock that advances by 12 ms with each reading. */
async function traceOf(transport: Transport, changes: Partial<TraceOptions> = {}) {
  const lines: string[] = [];
  let time = 1_000;
  const send = withTrace(transport, {
    now: () => (time += 12),
    write: (more) => lines.push(...more),
    nameUrl: (url) => url.replace("https://calendar.example", "there "),
    mask: (text) => text.replaceAll("secret-title", "***"),
    details: false,
    ...changes,
  });
  const outcome = await send(REQUEST).catch((error: unknown) => error);
  return { lines, outcome };
}

test("a response is one line with method, URL, status and time, without headers or bodies", async () => {
  const { lines, outcome } = await traceOf(async () => ANSWER);
  expect(lines).toEqual(["POST there /calendars/cal/events?x=1 201 12 ms"]);
  expect(outcome).toBe(ANSWER);
});

test.each([
  [
    "ECONNRESET",
    new TransportError("secret detail", { kind: "closed", sent: "maybe", reason: "ECONNRESET" }),
  ],
  ["interrupted", new CliError("interrupted", "secret detail")],
  ["configuration", new CliError("configuration", "secret detail")],
  ["ENOENT", Object.assign(new Error("secret detail"), { code: "ENOENT" })],
  ["TypeError", new TypeError("secret detail")],
])("a failed attempt is one line with %s, and the error is rethrown", async (reason, failure) => {
  const { lines, outcome } = await traceOf(() => Promise.reject(failure));
  expect(lines).toEqual([`POST there /calendars/cal/events?x=1 ${reason} 12 ms`]);
  expect(outcome).toBe(failure);
});

test("each attempt is one line", async () => {
  const lines: string[] = [];
  const answer = async () => ({ status: 503, headers: {}, body: new Uint8Array() });
  const send = withTrace(answer, {
    now: () => 0,
    write: (more) => lines.push(...more),
    nameUrl: (url) => url,
    mask: (text) => text,
    details: false,
  });
  await send(REQUEST);
  await send(REQUEST);
  expect(lines).toHaveLength(2);
});

test("details show the request, the line and the response, without secrets", async () => {
  const { lines } = await traceOf(async () => ANSWER, { details: true });
  expect(lines).toEqual([
    "> POST there /calendars/cal/events?x=1",
    "> accept: application/json",
    "> authorization: ***",
    ">",
    '> {"title":"***"}',
    "POST there /calendars/cal/events?x=1 201 12 ms",
    "< 201",
    "< set-cookie: ***",
    "< location: https://***@elsewhere.example/?code=***",
    "<",
    '< {"id":"1","access_token":"***"}',
  ]);
});

test("details show the request before the response arrives", async () => {
  const lines: string[] = [];
  await traceOf(
    async () => {
      expect(lines[0]).toBe("> POST there /calendars/cal/events?x=1");
      return ANSWER;
    },
    { details: true, write: (more) => lines.push(...more) },
  );
  expect(lines).toHaveLength(11);
});

test("details of a failure say whether the request was sent", async () => {
  const failure = new TransportError("no response", { kind: "closed", sent: "maybe", reason: "EPIPE" });
  const { lines } = await traceOf(() => Promise.reject(failure), { details: true });
  expect(lines.slice(-2)).toEqual([
    "POST there /calendars/cal/events?x=1 EPIPE 12 ms",
    "* no response (sent: maybe)",
  ]);
});

test("secrets in the URL are masked by name and by value", async () => {
  const lines: string[] = [];
  const send = withTrace(async () => ANSWER, {
    now: () => 0,
    write: (more) => lines.push(...more),
    nameUrl: () => "https://calendar.example/secret-title?access_token=abc&days=1",
    mask: (text) => text.replaceAll("secret-title", "***"),
    details: false,
  });
  await send(REQUEST);
  expect(lines).toEqual(["POST https://calendar.example/***?access_token=***&days=1 201 0 ms"]);
});

/** The lines after the headers of a response with this body. */
async function bodyLines(body: Uint8Array | string, mask = (text: string) => text) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const { lines } = await traceOf(async () => ({ status: 200, headers: {}, body: bytes }), {
    details: true,
    mask,
  });
  return lines.slice(lines.indexOf("< 200") + 1);
}

test.each<[string, Uint8Array | string, readonly string[]]>([
  ["nothing", "", []],
  ["text of several lines", "a\r\nb\n\nc", ["<", "< a", "< b", "<", "< c"]],
  ["bytes that are no text", new Uint8Array([0xff, 0xfe]), ["<", "< (2 bytes, not text)"]],
  ["NUL", new Uint8Array([0]), ["<", "< (1 byte, not text)"]],
])("a body of %s", async (_, body, lines) => {
  expect(await bodyLines(body)).toEqual(lines);
});

test("a long body is truncated, with the number of bytes left out", async () => {
  expect(await bodyLines("x".repeat(10_000))).toEqual(["<", `< ${"x".repeat(4096)}`, "< … 5904 more bytes"]);
  const large = await bodyLines("é".repeat(1_000_000));
  expect(large).toEqual(["<", `< ${"é".repeat(4096)}`, "< … 1991808 more bytes"]);
});

test("a secret at the end of the shown part is masked completely", async () => {
  const body = `${"x".repeat(4080)} {"token": "abcdefgh${"i".repeat(1000)}"} SENTINEL`;
  const lines = await bodyLines(body);
  expect(lines.join("\n")).not.toContain("abc");
  const value = await bodyLines(`${"x".repeat(4092)}SENTINEL`, (text) => text.replaceAll("SENTINEL", "***"));
  expect(value.join("\n")).toBe(`<\n< ${"x".repeat(4092)}***`);
});

test("a character is not split", async () => {
  const lines = await bodyLines(`${"x".repeat(4095)}😀`);
  expect(lines).toEqual(["<", `< ${"x".repeat(4095)}`, "< … 4 more bytes"]);
});
