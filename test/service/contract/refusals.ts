import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ROUTES } from "../../../src/contract/routes.js";
import { runSql } from "../support/database.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

const UNKNOWN_EVENT = "0".repeat(32);

/** Every route with a path; those of one event first with the given id. */
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

export function describeRefusals(stage: () => Stage): void {
  describe("authentication and authorization", () => {
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

    test("403 for who is no member, 404 for a calendar that does not exist", async () => {
      const { client, world } = stage();
      for (const [calendarId, status] of [
        [world.foreignCalendarId, 403],
        ["AAAAAAAAAAAA", 404],
      ] as const) {
        const routes = everyRoute(calendarId).filter(({ target }) => target.includes(calendarId));
        expect(routes).toHaveLength(9);
        for (const { method, target, body } of routes) {
          expect(await client.request(method, target, { body }), `${method} ${target}`).toMatchObject({
            status,
          });
        }
      }
    });

    test("404 for an event that does not exist or is another calendar's", async () => {
      const { client, world } = stage();
      const token = (await world.service.admin.tokens.create({ user: "outsider", readOnly: false })).token;
      const foreign = await client.call("createEvent", {
        token,
        path: { calendar_id: world.foreignCalendarId },
        body: eventBody(KEEP),
      });
      for (const eventId of [UNKNOWN_EVENT, foreign.data.id]) {
        const routes = everyRoute(world.calendarId, eventId).filter(({ target }) => target.includes(eventId));
        expect(routes).toHaveLength(4);
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

  describe("requests that do not fit", () => {
    test.each([
      ["/", 404],
      ["", 404],
      ["/users", 404],
      ["/user/", 404],
      ["//user", 404],
      ["/calendars/", 404],
      ["/calendars//labels", 404],
      ["/calendars/x/events", 405],
      ["/calendars/%zz", 400],
      ["/calendars/%ff/labels", 400],
    ])("GET %j is %i", async (target, status) => {
      const { client } = stage();
      // An empty request line cannot be sent over a socket; node sends / then.
      expect(await client.request("GET", target)).toMatchObject({ status });
    });

    test.each([
      ["POST", "/user", "GET"],
      ["OPTIONS", "/calendars", "GET"],
      ["DELETE", "/calendars/x", "GET"],
      ["GET", "/calendars/x/events", "POST"],
      ["PATCH", "/calendars/x/events/y", "GET, PUT, DELETE"],
      ["GET", "/calendars/x/events/y/activities", "POST"],
    ])("%s %s is 405 and allows %s", async (method, target, allow) => {
      const { client } = stage();
      expect(await client.request(method, target)).toMatchObject({ status: 405, headers: { allow } });
    });

    test.each([
      "text/html",
      "application/xml",
      "application/vnd.other.v1+json",
      "application/json;q=0",
      "*/*;q=0",
      "application/json;q=0, */*",
      "application/*;q=0.0, text/*",
      "json",
    ])("Accept %j is 406", async (accept) => {
      expect(await stage().client.request("GET", "/user", { headers: { accept } })).toMatchObject({
        status: 406,
      });
    });

    test.each([
      ["/calendars?include=", "include"],
      ["/calendars?include=label", "include"],
      ["/calendars?include=labels,owner", "include"],
      ["/calendars?include=labels&include=members", "include"],
      ["/calendars?include[0]=labels", "include"],
      ["/calendars?include%5B%5D=labels", "include"],
      ["{calendar}/upcoming_events?include=labels", "include"],
      ["{calendar}/upcoming_events?timezone=Mars/Olympus", "timezone"],
      ["{calendar}/upcoming_events?timezone=%2B09:00", "timezone"],
      ["{calendar}/upcoming_events?timezone=", "timezone"],
      ["{calendar}/upcoming_events?days=0", "days"],
      ["{calendar}/upcoming_events?days=8", "days"],
      ["{calendar}/upcoming_events?days=-1", "days"],
      ["{calendar}/upcoming_events?days=1.5", "days"],
      ["{calendar}/upcoming_events?days=two", "days"],
      ["{calendar}/upcoming_events?days=", "days"],
      ["{calendar}/upcoming_events?days=1&days=2", "days"],
    ])("GET %s is 400 and names %s", async (target, field) => {
      const { client, calendar } = stage();
      const answer = await client.request("GET", target.replace("{calendar}", calendar));
      expect(answer).toMatchObject({ status: 400, errors: { [field]: [expect.any(String)] } });
    });

    test("every wrong parameter is named at once", async () => {
      const { client, calendar } = stage();
      const answer = await client.request("GET", `${calendar}/upcoming_events?days=9&timezone=x&include=y`);
      expect(Object.keys(answer.errors as object).sort()).toEqual(["days", "include", "timezone"]);
    });
  });

  describe("bodies that do not fit", () => {
    test.each([
      ["no JSON", "{", "application/json"],
      ["nothing", "", "application/json"],
      ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]), "application/json"],
      ["another type", JSON.stringify(eventBody(KEEP)), "text/plain"],
      ["a form", "title=x", "application/x-www-form-urlencoded"],
      ["another charset", JSON.stringify(eventBody(KEEP)), "application/json; charset=latin1"],
      ["no type", JSON.stringify(eventBody(KEEP)), ""],
    ])("%s is 400", async (_, body, type) => {
      const { client, calendar } = stage();
      const answer = await client.request("POST", `${calendar}/events`, {
        body: Buffer.from(body),
        headers: { "content-type": type },
      });
      expect(answer).toMatchObject({ status: 400, errors: expect.any(String) });
    });

    test("a charset of UTF-8 may be named", async () => {
      const { client, path } = stage();
      const headers = { "content-type": 'Application/JSON; Charset="UTF-8"' };
      await client.call("createEvent", { path, body: eventBody(KEEP), headers });
    });

    test.each([
      ["a little more than 1 MiB", 1024 * 1024 + 1],
      ["several MiB", 5 * 1024 * 1024],
    ])("%s is 413, and the next request is answered", async (_, size) => {
      const { client, calendar } = stage();
      const answer = await client.request("POST", `${calendar}/events`, { body: randomBytes(size) });
      expect(answer).toMatchObject({ status: 413 });
      await client.call("getCurrentUser");
    });

    test("1 MiB is read", async () => {
      const { client, path } = stage();
      const body = JSON.stringify(eventBody(KEEP)).padEnd(1024 * 1024, " ");
      await client.call("createEvent", { path, body: Buffer.from(body) });
    });

    const wrongEvents: readonly (readonly [string, unknown, Readonly<Record<string, readonly unknown[]>>])[] =
      [
        ["no object", 5, { data: ["must be an object with data"] }],
        ["an empty object", {}, { data: ["is required"] }],
        ["empty data", { data: {} }, { attributes: ["is required"], relationships: ["is required"] }],
        [
          "nothing in attributes and relationships",
          { data: { attributes: {}, relationships: {} } },
          { title: ["is required"], category: ["is required"], label: ["is required"] },
        ],
        ["an empty title", eventBody({ ...KEEP, title: "" }), { title: ["must not be empty"] }],
        [
          "a title of 51",
          eventBody({ ...KEEP, title: "😀".repeat(51) }),
          { title: ["must be at most 50 characters"] },
        ],
        ["a title that is no text", eventBody({ ...KEEP, title: 5 }), { title: ["must be text"] }],
        ["a title of null", eventBody({ ...KEEP, title: null }), { title: ["must be text"] }],
        [
          "NUL in a title",
          eventBody({ ...KEEP, title: "a\0b" }),
          { title: [expect.stringContaining("NUL")] },
        ],
        [
          "half an emoji",
          eventBody({ ...KEEP, url: "\ud83d" }),
          { url: [expect.stringContaining("surrogates")] },
        ],
        [
          "a description of 10001",
          eventBody({ ...KEEP, description: "x".repeat(10_001) }),
          { description: ["must be at most 10000 characters"] },
        ],
        [
          "a location of 101",
          eventBody({ ...KEEP, location: "x".repeat(101) }),
          { location: ["must be at most 100 characters"] },
        ],
        [
          "another category",
          eventBody({ ...KEEP, category: "task" }),
          { category: ["must be schedule or keep"] },
        ],
        [
          "a schedule without times",
          eventBody({ ...KEEP, category: "schedule" }),
          {
            all_day: ["is required for a schedule"],
            start_at: ["is required for a schedule"],
            end_at: ["is required for a schedule"],
          },
        ],
        [
          "a keep with one time",
          eventBody({ ...KEEP, start_at: SCHEDULE.start_at }),
          { end_at: ["is required when start_at is given"] },
        ],
        [
          "an end that is its start",
          eventBody({ ...SCHEDULE, end_at: SCHEDULE.start_at }),
          { end_at: ["must be after start_at"] },
        ],
        [
          "an all-day event by the clock",
          eventBody({
            ...SCHEDULE,
            all_day: true,
            start_at: "2026-11-21T12:00:00Z",
            end_at: "2026-11-21T13:00:00Z",
          }),
          {
            start_at: ["must be at 00:00:00 for an all-day event"],
            end_at: ["must be at 00:00:00 for an all-day event", "must be after start_at"],
          },
        ],
        [
          "a day that does not exist",
          eventBody({ ...SCHEDULE, start_at: "2026-02-30T12:00:00Z" }),
          { start_at: ["must be an ISO 8601 date-time that exists"] },
        ],
        [
          "times beyond what can be written",
          eventBody({
            ...SCHEDULE,
            start_at: "0000-01-01T00:00:00+14:00",
            end_at: "9999-12-31T23:59:59-12:00",
          }),
          { start_at: [expect.any(String)], end_at: [expect.any(String)] },
        ],
        [
          "an unknown zone",
          eventBody({ ...SCHEDULE, start_timezone: "Mars/Olympus" }),
          { start_timezone: ["must be a timezone name such as Asia/Tokyo"] },
        ],
        ["label 11", eventBody(KEEP, { label: "11" }), { label: ['"11" is no label of this calendar'] }],
        ["label 01", eventBody(KEEP, { label: "01" }), { label: [expect.any(String)] }],
        [
          "another calendar's label",
          eventBody(KEEP, { label: "AAAAAAAAAAAA,1" }),
          { label: [expect.any(String)] },
        ],
        [
          "a label of another type",
          { data: { attributes: KEEP, relationships: { label: { data: { id: "1", type: "user" } } } } },
          { label: ["must be of type label"] },
        ],
        [
          "an unknown attendee",
          eventBody(KEEP, { attendees: ["1"] }),
          { attendees: ['"1" is no member of this calendar'] },
        ],
        [
          "everything at once",
          eventBody(
            {
              title: "x".repeat(51),
              category: "schedule",
              start_at: "soon",
              end_at: "2026-11-21T12:00:00Z",
              url: 1,
            },
            { label: "0", attendees: ["1", "2"] },
          ),
          {
            title: ["must be at most 50 characters"],
            all_day: ["is required for a schedule"],
            start_at: ["must be an ISO 8601 date-time that exists"],
            url: ["must be text"],
            label: ['"0" is no label of this calendar'],
            attendees: ['"1" is no member of this calendar', '"2" is no member of this calendar'],
          },
        ],
      ];

    test.each(wrongEvents)("an event with %s is 400 and names the fields", async (_, body, errors) => {
      const { client, calendar, create } = stage();
      const { id } = await create();
      for (const [method, target] of [
        ["POST", `${calendar}/events`],
        ["PUT", `${calendar}/events/${id}`],
      ] as const) {
        const answer = await client.request(method, target, { body });
        expect(answer).toMatchObject({ status: 400 });
        expect(answer.errors).toEqual(errors);
      }
    });

    test("an attendee from outside the calendar is refused", async () => {
      const { client, world, calendar } = stage();
      const body = eventBody(KEEP, { attendees: [world.member.id, world.outsider.id] });
      const answer = await client.request("POST", `${calendar}/events`, { body });
      expect(answer.errors).toEqual({ attendees: [`"${world.outsider.id}" is no member of this calendar`] });
    });

    test.each([
      ["", "must not be empty"],
      ["x".repeat(1_001), "must be at most 1000 characters"],
      [5, "must be text"],
      [undefined, "is required"],
      ["\0", "must not contain NUL or unpaired surrogates"],
    ])("a comment of %j is 400", async (content, message) => {
      const { client, calendar, create } = stage();
      const { id } = await create();
      const body = activityBody(content);
      const answer = await client.request("POST", `${calendar}/events/${id}/activities`, { body });
      expect(answer).toMatchObject({ status: 400, errors: { content: [message] } });
    });
  });

  test("a 500 tells the caller nothing and the operator all", async () => {
    const { client, world, calendar, create } = stage();
    const { id } = await create();
    runSql(world.database, "drop table activities");
    const answer = await client.request("POST", `${calendar}/events/${id}/activities`, {
      body: activityBody("x"),
    });
    expect(answer.json).toEqual({ type: "about:blank", status: 500, title: "Internal Server Error" });
    expect(world.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("activities") }),
    ]);
  });
}
