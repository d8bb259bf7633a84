import { describe, expect, test } from "vitest";
import { ROUTES } from "../../../contract/routes.js";
import { activityBody, eventBody, KEEP } from "../support/event-bodies.js";
import { type Connect, createStage, type Stage } from "./stage.js";

const UNKNOWN_EVENT = "0".repeat(32);

/** Every route with a path; routes of one event come first, with the given id. */
function everyRoute(calendarId: string, eventId = UNKNOWN_EVENT) {
  return Object.values(ROUTES).map(({ method, path }) => ({
    method,
    target: path.replace("{calendar_id}", calendarId).replace("{event_id}", eventId),
    body: bodyFor(method, path),
  }));
}

function bodyFor(method: string, path: string): object | undefined {
  if (method !== "POST" && method !== "PUT") return undefined;
  return path.endsWith("/activities") ? activityBody("hello") : eventBody(KEEP);
}

export function describeAccess(stage: () => Stage, isWhole: boolean): void {
  describe("authentication and authorization", () => {
    test("401 with another scheme, a revoked token and a disabled user's", async () => {
      const { client, world } = stage();
      const basic = { authorization: `Basic ${Buffer.from(`member:${world.token}`).toString("base64")}` };
      expect((await client.request("GET", "/user", { token: null, headers: basic })).status).toBe(401);
      const { tokens, users } = world.service.admin;
      const revoked = await tokens.create({ user: "member", readOnly: false });
      await tokens.revoke(revoked.id);
      expect((await client.request("GET", "/user", { token: revoked.token })).status).toBe(401);
      await users.disable("member");
      expect((await client.request("GET", "/user")).status).toBe(401);
    });

    test("403 for users who are not members, 404 for a calendar that does not exist", async () => {
      const { client, world } = stage();
      for (const [calendarId, status] of [
        [world.foreignCalendarId, 403],
        ["AAAAAAAAAAAA", 404],
      ] as const) {
        const routes = everyRoute(calendarId).filter(({ target }) => target.includes(calendarId));
        expect(routes).toHaveLength(12);
        for (const { method, target, body } of routes) {
          expect(await client.request(method, target, { body }), `${method} ${target}`).toMatchObject({
            status,
          });
        }
      }
    });

    if (!isWhole) return;

    test.each([
      ["no token", null],
      ["an unknown token", "cal_unknown"],
      ["no Bearer token", ""],
    ])("401 on every route with %s", async (_, token) => {
      const { client, world } = stage();
      for (const { method, target, body } of everyRoute(world.calendarId)) {
        const answer = await client.request(method, target, { token, body });
        expect(answer).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
      }
    });

    test("404 for an event that does not exist or belongs to another calendar", async () => {
      const { client, world } = stage();
      const token = (await world.service.admin.tokens.create({ user: "outsider", readOnly: false })).token;
      const foreign = await client.call("createEvent", {
        token,
        path: { calendar_id: world.foreignCalendarId },
        body: eventBody(KEEP),
      });
      for (const eventId of [UNKNOWN_EVENT, foreign.data.id]) {
        const routes = everyRoute(world.calendarId, eventId).filter(({ target }) => target.includes(eventId));
        expect(routes).toHaveLength(5);
        for (const { method, target, body } of routes) {
          expect(await client.request(method, target, { body }), `${method} ${target}`).toMatchObject({
            status: 404,
          });
        }
      }
    });

    test("a read-only token reads and gets 403 on every write", async () => {
      const { client, world, create } = stage();
      const { id } = await create();
      for (const { method, target, body } of everyRoute(world.calendarId, id)) {
        const answer = await client.request(method, target, { token: world.readOnlyToken, body });
        expect(answer.status, `${method} ${target}`).toBe(method === "GET" ? 200 : 403);
      }
    });
  });
}

export function describeFailure(connect: Connect): void {
  test("a 500 has no details for the caller, only for the operator", async () => {
    const { world, client, calendar, create, close } = await createStage(connect);
    const { id } = await create();
    await world.tables.change("drop table activities");
    const body = activityBody("x");
    const answer = await client.request("POST", `${calendar}/events/${id}/activities`, { body });
    expect(answer.json).toEqual({ type: "about:blank", status: 500, title: "Internal Server Error" });
    expect(world.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("activities") }),
    ]);
    await close();
  });
}
