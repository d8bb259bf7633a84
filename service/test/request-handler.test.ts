import { afterEach, beforeEach, expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import { problemResponse, toProblemError } from "../http/response.js";
import type { RequestSource } from "../request.js";
import { DatabaseUnavailableError } from "../store/store.js";
import { runSql } from "./support/database.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { type RequestOptions, request } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

let world: World;
beforeEach(async () => {
  world = await createWorld({ rateLimit: null });
});
afterEach(() => world.close());

const sendAs = (userId: string, route = "GET /user", options: RequestOptions = {}) =>
  request({ service: world.service }, route, { ...options, source: { kind: "local", userId } });

test("in-process the caller is the given user with full access and without a token", async () => {
  expect((await sendAs(world.second.id)).json.data.attributes.name).toBe("second");
  const route = `POST /calendars/${world.calendarId}/events`;
  const created = await sendAs(world.second.id, route, { body: eventBody(KEEP) });
  expect(created.status).toBe(201);
});

test("no header can claim another user", async () => {
  const headers = { authorization: `Bearer ${world.token}` };
  expect((await sendAs(world.second.id, "GET /user", { headers })).json.data.id).toBe(world.second.id);
});

test("a user who is unknown or disabled gets 401", async () => {
  expect((await sendAs("123")).status).toBe(401);
  await world.service.admin.users.disable("second");
  expect((await sendAs(world.second.id)).status).toBe(401);
});

test("responses have the date of the service's clock", async () => {
  expect((await sendAs(world.member.id)).headers["date"]).toBe("Sat, 21 Nov 2026 10:00:00 GMT");
});

test("no response may be stored for others or taken for another type than its own", async () => {
  const limited = await createWorld({ rateLimit: { limit: 9, windowSeconds: 600 } });
  const events = `/calendars/${limited.calendarId}/events`;
  const created = await request(limited, `POST ${events}`, { body: eventBody(KEEP) });
  const answers = [
    created,
    await request(limited, "GET /user"),
    await request(limited, "HEAD /user"),
    await request(limited, `DELETE ${events}/${created.json.data.id}`),
    await request(limited, `POST ${events}`, { body: {} }),
    await request(limited, "GET /user", { token: null }),
    await request(limited, `POST ${events}`, { body: {}, token: limited.readOnlyToken }),
    await request(limited, "GET /nothing"),
    await request(limited, "PUT /user"),
    await request(limited, "GET /user", { headers: { accept: "text/html" } }),
    await request(limited, "GET /user"),
    await request(limited, "GET /user"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    201, 200, 200, 204, 400, 401, 403, 404, 405, 406, 200, 429,
  ]);
  for (const { status, headers } of answers) {
    // What was read may be cached, and is shown to nobody whose token is not valid any more.
    const caching = status === 200 ? "private, no-cache" : "no-store";
    expect(headers).toMatchObject({ "cache-control": caching, "x-content-type-options": "nosniff" });
  }
  await limited.close();
});

test("the error behind a 500 is returned in-process only", async () => {
  const stored = await createWorld();
  runSql(stored.database, "drop table labels");
  const send = (source: RequestSource) =>
    request(stored, `GET /calendars/${stored.calendarId}/labels`, { source });
  const local = await send({ kind: "local", userId: stored.member.id });
  expect(local).toMatchObject({ status: 500, failure: { message: "no such table: labels" } });
  const network = await send({ kind: "network", address: "127.0.0.1" });
  expect(network.status).toBe(500);
  expect(network.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  expect(network).not.toHaveProperty("failure");
  await stored.close();
});

test.each([
  ["a bug", new Error("secret detail"), 500, undefined],
  ["a damaged database", new CliError("configuration", "secret detail"), 500, undefined],
  [
    "a database that another process locks for too long",
    new DatabaseUnavailableError("unavailable", "secret detail"),
    503,
    "1",
  ],
  ["a full disk", new DatabaseUnavailableError("configuration", "secret detail"), 503, "1"],
])("the response to %s has no details, the problem has them as its cause", (_, error, status, retryAfter) => {
  const problem = toProblemError(error);
  expect(problem.cause).toBe(error);
  const reply = problemResponse(problem);
  expect(reply.status).toBe(status);
  expect(reply.headers["retry-after"]).toBe(retryAfter);
  expect(new TextDecoder().decode(reply.body)).not.toContain("secret");
});
