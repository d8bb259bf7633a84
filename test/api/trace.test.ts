import { expect, test } from "vitest";
import { withTrace } from "../../src/api/trace.js";
import { type HttpRequest, type Transport, TransportError } from "../../src/api/transport.js";

const REQUEST: HttpRequest = {
  method: "POST",
  url: "https://calendar.example/calendars/cal/events?x=1",
  headers: { authorization: "Bearer secret-token" },
  body: "secret-title",
};

/** The lines of one attempt, on a clock that goes on by 12 ms with each look. */
async function traceOf(transport: Transport) {
  const lines: string[] = [];
  let time = 1_000;
  const send = withTrace(transport, {
    now: () => (time += 12),
    write: (line) => lines.push(line),
    nameUrl: (url) => url.replace("https://calendar.example", "there "),
  });
  const outcome = await send(REQUEST).catch((error: unknown) => error);
  return { lines, outcome };
}

test("an answer is one line of method, URL, status and time, without headers or bodies", async () => {
  const response = {
    status: 201,
    headers: { "set-cookie": "secret-cookie" },
    body: new TextEncoder().encode("secret-answer"),
  };
  const { lines, outcome } = await traceOf(async () => response);
  expect(lines).toEqual(["POST there /calendars/cal/events?x=1 201 12 ms"]);
  expect(outcome).toBe(response);
});

test.each([
  [
    "ECONNRESET",
    new TransportError("secret detail", { fault: "closed", sent: "maybe", reason: "ECONNRESET" }),
  ],
  ["interrupted", new Error("secret detail")],
])("no answer is one line that ends in %s, and the failure goes on", async (reason, failure) => {
  const { lines, outcome } = await traceOf(() => Promise.reject(failure));
  expect(lines).toEqual([`POST there /calendars/cal/events?x=1 ${reason} 12 ms`]);
  expect(outcome).toBe(failure);
});

test("each attempt has a line of its own", async () => {
  const lines: string[] = [];
  const answer = async () => ({ status: 503, headers: {}, body: new Uint8Array() });
  const send = withTrace(answer, { now: () => 0, write: (line) => lines.push(line), nameUrl: (url) => url });
  await send(REQUEST);
  await send(REQUEST);
  expect(lines).toHaveLength(2);
});
