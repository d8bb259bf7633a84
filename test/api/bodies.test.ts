import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { receive, reply, send } from "../support/fault-steps.js";
import type { WireAnswer } from "../support/http-bytes.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";
import { share } from "../support/shared.js";

/** Successes whose body does not match the contract: exit code, one sentence, no invented values. */

type Body = string | Uint8Array | Omit<WireAnswer, "status">;

/** An event as text, so that it can hold what JSON.stringify would not write. */
function event(attributes = '{"title":"T"}', id = '"e1"', more = ""): string {
  return `{"data":{"id":${id},"type":"event","attributes":${attributes}${more}}}`;
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function withHeaders(headers: Readonly<Record<string, string>>, body: string | Uint8Array): Body {
  return { headers, body };
}

const CUT_SHORT: readonly (readonly [string, Body, string])[] = [
  ["nothing", "", "the response is empty"],
  ["blanks", " \r\n", "the response is empty"],
  ["the beginning of a document", event().slice(0, 20), "the response was cut short"],
  ["100,000 brackets that are not closed", `{"data":${"[".repeat(100_000)}`, "the response was cut short"],
];

const NOT_THE_CONTRACTS: readonly (readonly [string, Body, string])[] = [
  [
    "a page",
    withHeaders({ "content-type": "text/html" }, "<html>Sign in</html>"),
    "is not JSON but text/html",
  ],
  ["JSON with a comma too many", event('{"title":"T",}'), "the response is not JSON"],
  ["a raw NUL in a text", event('{"title":"a\0b"}'), "the response is not JSON"],
  [
    "UTF-16",
    withHeaders({ "content-type": "application/json; charset=utf-16" }, Buffer.from(event(), "utf16le")),
    "the response is not JSON",
  ],
  [
    "ISO 8859-1, which would garble what an update then sends back",
    withHeaders(
      { "content-type": "application/json; charset=iso-8859-1" },
      Buffer.from(event('{"title":"Café"}'), "latin1"),
    ),
    "the response is not UTF-8",
  ],
  [
    "gzip that was not requested",
    withHeaders({ "content-encoding": "gzip" }, gzipSync(event())),
    "gzip, which was not requested",
  ],
  ["no data", "{}", "data"],
  ["data null", '{"data":null}', "data"],
  ["data 100,000 deep", `{"data":${nested(100_000)}}`, "data"],
  ["a number for a document", "42", "Object"],
  ["a list for a document", "[]", "Object"],
  ["text for data", '{"data":"e1"}', "data"],
  ["a list for data", `{"data":[${event().slice(8, -1)}]}`, "data"],
  ["no id", '{"data":{"type":"event"}}', "data.id"],
  ["no type", '{"data":{"id":"e1"}}', "data.type"],
  ["a time that is none", event('{"start_at":"soon"}'), "start_at"],
  [
    "an attendee whose id is past 2^53, whom an update would drop",
    event("{}", '"e1"', ',"relationships":{"attendees":{"data":[{"id":9007199254740993}]}}'),
    "id",
  ],
  ["an id that is a number past 2^53", event("{}", "9007199254740993"), "data.id"],
  ["an id with a fraction", event("{}", "1.5"), "data.id"],
  ["an empty id", event("{}", '""'), "data.id"],
  ["a title that is a number", event('{"title":5}'), "title"],
];

const READABLE: readonly (readonly [string, Body, object])[] = [
  ["a byte order mark", `\ufeff${event()}`, { id: "e1", title: "T" }],
  ["JSON under another content type", withHeaders({ "content-type": "text/plain" }, event()), { title: "T" }],
  ["an id that is an exact number", event('{"title":"T"}', "42"), { id: "42", title: "T" }],
  ["an escaped NUL", event('{"title":"a\\u0000b"}'), { title: "a\0b" }],
  ["a lone surrogate", event('{"title":"a\\ud800b"}'), { title: "a\ud800b" }],
  ["an unknown attribute 100,000 deep", event(`{"title":"T","x":${nested(100_000)}}`), { title: "T" }],
  [
    "an unknown number past any size",
    event('{"title":"T","x":1e999,"y":123456789012345678901234567890}'),
    { title: "T" },
  ],
  [
    "__proto__, constructor and prototype for names",
    `{"__proto__":{"polluted":1},"data":{"id":"e1","type":"event","__proto__":{"polluted":1},` +
      `"attributes":{"title":"T","__proto__":{"location":"here","polluted":1},"constructor":{"prototype":{"polluted":1}}},` +
      `"relationships":{"__proto__":{"label":{"data":{"id":"1","type":"label"}}}}}}`,
    { title: "T", location: null, label: null },
  ],
];

const shared = share(() => createRemoteWorld());

let world: RemoteWorld;

beforeEach(() => {
  world = shared();
  world.server.forget();
});

function answerOf(status: number, body: Body): WireAnswer {
  return typeof body === "string" || body instanceof Uint8Array ? { status, body } : { status, ...body };
}

/** Reads an event from a service that responds with a body, this once. */
async function read(answer: WireAnswer) {
  const { server, calendarId, eventId } = world;
  const target = `GET /calendars/${calendarId}/events/${eventId}`;
  server.on(target, [reply(answer)]);
  const result = await world.send(
    ...["events", "get", eventId, "-c", calendarId, "-o", "json", "--retries", "0"],
  );
  server.on(target);
  return result;
}

/** Creates an event with a service that responds with a body. */
async function create(answer: WireAnswer, ...flags: readonly string[]) {
  const { server, calendarId } = world;
  const target = `POST /calendars/${calendarId}/events`;
  server.on(target, [reply(answer)]);
  const result = await world.send(
    ...["events", "create", "-c", calendarId, "--title", "T", "-o", "json"],
    ...["--start", "2026-11-21T12:00", "--duration", "1h", ...flags],
  );
  expect(server.count(target)).toBe(1);
  return result;
}

function failure(exitCode: number, message: string) {
  return { exitCode, stdout: "", error: { exit_code: exitCode, message: expect.stringContaining(message) } };
}

function withError({ exitCode, stdout, stderr }: { exitCode: number; stdout: string; stderr: string }) {
  const lines = stderr.trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  return { exitCode, stdout, error: JSON.parse(lines[0] ?? "").error };
}

describe("C10 a response that was cut short", () => {
  test.each(CUT_SHORT)("%s: exit 8 for a read, 9 for a create", async (_, body, message) => {
    expect(withError(await read(answerOf(200, body)))).toMatchObject(failure(8, message));
    // This service keeps keys, so a create is repeated.
    const created = await create(answerOf(201, body), "--retries", "0");
    expect(withError(created)).toMatchObject(failure(9, message));
  });
});

describe("C10 a complete response that does not match the contract", () => {
  test("204: exit 11 for a read, 9 for a create", async () => {
    expect(withError(await read({ status: 204 }))).toMatchObject(failure(11, "no content"));
    expect(withError(await create({ status: 204 }))).toMatchObject(failure(9, "no content"));
  });

  test.each([
    ["PUT", ["events", "update", "--title", "T"]],
    ["DELETE", ["events", "delete", "--yes"]],
  ])("an HTML page for a %s: exit 11, and it may have succeeded", async (method, argv) => {
    const { server, calendarId, eventId } = world;
    const page = { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" };
    const target = `${method} /calendars/${calendarId}/events/${eventId}`;
    server.on(target, [reply(page)]);
    const result = withError(await world.send(...argv, eventId, "-c", calendarId, "-o", "json"));
    expect(result).toMatchObject(failure(11, "not JSON but text/html; the write may have succeeded"));
    expect(result.error.hint).toBe("check whether it did; this is safe to repeat");
    server.on(target);
  });

  test.each(NOT_THE_CONTRACTS)("%s: exit 11 for a read, 9 for a create", async (_, body, message) => {
    expect(withError(await read(answerOf(200, body)))).toMatchObject(failure(11, message));
    expect(withError(await create(answerOf(201, body)))).toMatchObject(failure(9, message));
  });
});

describe("C10 an unusual response", () => {
  test.each([
    "Content-Length: 2\r\n\r\n{}",
    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "Content-Length: 2\r\n\r\n",
  ])("204 with %j: the event is deleted, with one DELETE", async (rest) => {
    const { server, calendarId, eventId } = world;
    const target = `DELETE /calendars/${calendarId}/events/${eventId}`;
    server.on(target, [receive, send(`HTTP/1.1 204 No Content\r\n${rest}`)]);
    const { exitCode } = await world.send("events", "delete", eventId, "-c", calendarId, "--yes");
    expect({ exitCode, sent: server.count(target) }).toEqual({ exitCode: 0, sent: 1 });
  });

  test.each(READABLE)("%s is read", async (_, body, expected) => {
    for (const { exitCode, stdout, stderr } of [
      await read(answerOf(200, body)),
      await create(answerOf(201, body)),
    ]) {
      expect({ exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject(expected);
    }
    expect({}).not.toHaveProperty("polluted");
  });

  test("an order of a calendar that is not a finite number does not match the contract", async () => {
    const calendar = '{"data":[{"id":"c","type":"calendar","attributes":{"order":1e999}}]}';
    world.server.on("GET /calendars", [reply({ status: 200, body: calendar })]);
    expect(withError(await world.send("calendars", "-o", "json"))).toMatchObject(failure(11, "order"));
  });
});
