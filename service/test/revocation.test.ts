import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { listen } from "../listen.js";
import { openSocket, statusesOf } from "./support/connections.js";
import { activityBody, eventBody, KEEP } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

/** Who loses access while a write is under way writes nothing. */

let world: World;
let eventId: string;
/** Called when the service waits for the lock of an SQLite file. */
let onWait: () => unknown = () => undefined;

beforeEach(async () => {
  world = await createWorld({ sleep: async () => void (await onWait()) });
  ({ id: eventId } = await changeCalendar(world, "POST", "events", eventBody(KEEP)));
});
afterEach(() => world.close());

/** Another token of the member. */
const addToken = () => world.service.admin.tokens.create({ user: "member", readOnly: false });

const state = () =>
  world.tables.query(`select revision, (select count(*) from activities) as comments from calendars
    where id = '${world.calendarId}'`);

const WRITES = [
  ["a create", "POST", () => "events", eventBody(KEEP)],
  ["an update", "PUT", () => `events/${eventId}`, eventBody({ ...KEEP, title: "Changed" })],
  ["a comment", "POST", () => `events/${eventId}/activities`, activityBody("Hello")],
] as const;

describe.each(WRITES)("%s whose body comes later than its head", (_, method, path, content) => {
  /** Sends the head, and the body when the service reads it, after something was done. Resolves with the statuses. */
  async function send(token: string, between: () => Promise<unknown>) {
    const listener = await listen(world.service, { host: "127.0.0.1", port: 0 });
    const socket = await openSocket(listener);
    const body = JSON.stringify(content);
    const headers = [
      `Host: ${listener.address}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Expect: 100-continue",
    ];
    const answered = statusesOf(socket, 2);
    socket.write(
      `${method} /calendars/${world.calendarId}/${path()} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`,
    );
    await once(socket, "data");
    await between();
    socket.write(body);
    const statuses = await answered;
    await listener.close();
    return statuses;
  }

  test.each([
    ["token is revoked", ({ tokens }, id) => tokens.revoke(id)],
    ["tokens are all revoked", ({ tokens }) => tokens.revokeAll("member")],
    ["user is disabled", ({ users }) => users.disable("member")],
  ] satisfies readonly (readonly [
    string,
    (admin: World["service"]["admin"], id: string) => Promise<unknown>,
  ])[])("is 401 and not done when in between the %s", async (_, revoke) => {
    const { id, token } = await addToken();
    const before = await state();
    expect(await send(token, () => revoke(world.service.admin, id))).toEqual(["100", "401"]);
    expect(await state()).toEqual(before);
  });

  test("is done when another token is revoked", async () => {
    const { id } = await addToken();
    const [, status] = await send(world.token, () => world.service.admin.tokens.revoke(id));
    expect(status).toBe(method === "PUT" ? "200" : "201");
  });
});

test.each([["a delete", "DELETE", () => `events/${eventId}`, undefined], ...WRITES] as const)(
  "%s that waits for another writer is 401 and not done when that one revokes the token",
  async (_, method, path, content) => {
    const { id, token } = await addToken();
    const before = await state();
    const release = await world.tables.lock(`delete from tokens where id = '${id}'`);
    onWait = release;
    const route = `${method} /calendars/${world.calendarId}/${path()}`;
    const answered = request(world, route, { token, body: content });
    if (inject("engine") === "postgres") {
      const waiting = `select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%begin%' || current_schema() || '%'`;
      await expect.poll(() => world.tables.query(waiting)).not.toEqual([]);
      await release();
    }
    const { status, headers } = await answered;
    expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect(await state()).toEqual(before);
  },
);
