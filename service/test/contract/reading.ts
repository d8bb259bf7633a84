import { describe, expect, test } from "vitest";
import { activityBody, eventBody, KEEP } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

const SUCCESS = { GET: 200, HEAD: 200, POST: 201, PUT: 200, DELETE: 204 } as const;

export function describeReading(stage: () => Stage, isWhole: boolean): void {
  describe("reading", () => {
    test("HEAD is answered like GET, without the body", async () => {
      const { client, world } = stage();
      for (const token of [world.token, world.readOnlyToken]) {
        // First, so that no answer to GET is at hand.
        const head = await client.request("HEAD", "/calendars?include=labels", { token });
        const get = await client.request("GET", "/calendars?include=labels", { token });
        expect(head).toMatchObject({ status: 200, json: undefined });
        expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
        const length = Buffer.byteLength(JSON.stringify(get.json));
        expect(head.headers["content-length"]).toBe(String(length));
      }
    });

    test("ids in the path are percent-decoded", async () => {
      const { client, world, calendar } = stage();
      const encoded = [...world.calendarId].map((character) => `%${character.charCodeAt(0).toString(16)}`);
      expect((await client.request("GET", `/calendars/${encoded.join("")}/labels`)).status).toBe(200);
      expect((await client.request("GET", `${calendar}%2Flabels`)).status).toBe(404);
    });

    test("the authentication scheme is case-insensitive", async () => {
      const { client, world } = stage();
      const headers = { authorization: `bEARER ${world.token}` };
      await client.call("getCurrentUser", { token: null, headers });
    });

    test("calendars are those of the user, in an order without a gap after a membership ends", async () => {
      const { client, world } = stage();
      const { calendars, members } = world.service.admin;
      await calendars.add({ name: "Work", owner: "member" });
      await calendars.add({ name: "Club", owner: "member", color: "#b38bdc" });
      await members.add("second", "Work");
      await members.remove("member", "Work");
      const { data } = await client.call("listCalendars");
      expect(data.map(({ attributes }) => [attributes.order, attributes.name, attributes.color])).toEqual([
        [0, "Family", "#2ecc87"],
        [1, "Club", "#b38bdc"],
      ]);
    });

    test("an event includes the requested objects, each once", async () => {
      const { client, world, path, create, composite } = stage();
      const { id } = await create(undefined, { label: "3", attendees: [world.member.id, world.second.id] });
      const { included } = await client.call("getEvent", {
        path: { ...path, event_id: id },
        query: { include: "creator,label,attendees" },
      });
      expect(included?.map((object) => object.id).sort()).toEqual(
        [composite("3"), composite(world.member.id), composite(world.second.id)].sort(),
      );
    });

    test("users who left the calendar stay readable as creator and attendee", async () => {
      const { client, world, path, create, composite } = stage();
      const { id } = await create(undefined, { attendees: [world.member.id] });
      await world.service.admin.members.remove("member", "Family");
      const { token } = await world.service.admin.tokens.create({ user: "second", readOnly: true });
      const { data, included } = await client.call("getEvent", {
        token,
        path: { ...path, event_id: id },
        query: { include: "creator" },
      });
      expect(data.relationships.creator.data.id).toBe(composite(world.member.id));
      expect(included).toMatchObject([{ id: composite(world.member.id), attributes: { name: "member" } }]);
    });

    if (!isWhole) return;

    test("the current user has a plain id", async () => {
      const { client, world } = stage();
      const { data } = await client.call("getCurrentUser");
      expect(data).toEqual({
        id: world.member.id,
        type: "user",
        attributes: { name: "member", description: "", image_url: "" },
      });
    });

    test("a calendar names its labels and members", async () => {
      const { client, world, path, composite } = stage();
      const { data, included } = await client.call("getCalendar", { path });
      expect(data.attributes).toMatchObject({
        name: "Family",
        order: 0,
        created_at: "2026-11-21T10:00:00.000Z",
      });
      expect(data.relationships.labels.data).toEqual(
        Array.from({ length: 10 }, (_, index) => ({ id: composite(String(index + 1)), type: "label" })),
      );
      expect(data.relationships.members.data).toEqual([
        { id: composite(world.member.id), type: "user" },
        { id: composite(world.second.id), type: "user" },
      ]);
      expect(included).toBeUndefined();
    });

    test("include returns whole objects without duplicates", async () => {
      const { client, path } = stage();
      for (const [include, labels, members] of [
        ["labels", 10, 0],
        ["members", 0, 2],
        ["labels,members", 10, 2],
        ["members,labels,members", 10, 2],
      ] as const) {
        const one = await client.call("getCalendar", { path, query: { include } });
        const list = await client.call("listCalendars", { query: { include } });
        for (const included of [one.included ?? [], list.included ?? []]) {
          expect(included.filter(({ type }) => type === "label")).toHaveLength(labels);
          expect(included.filter(({ type }) => type === "user")).toHaveLength(members);
          expect(new Set(included.map(({ type, id }) => `${type} ${id}`)).size).toBe(included.length);
        }
      }
    });

    test("labels have the palette, the default label has no name", async () => {
      const { client, path, composite } = stage();
      const { data } = await client.call("listLabels", { path });
      expect(data.slice(0, 2)).toEqual([
        { id: composite("1"), type: "label", attributes: { name: "", color: "#2ecc87" } },
        { id: composite("2"), type: "label", attributes: { name: "modern cyan", color: "#3dc2c8" } },
      ]);
      expect(data.at(-1)?.attributes).toEqual({ name: "soft violet", color: "#b38bdc" });
    });

    test("members have composite ids", async () => {
      const { client, world, path, composite } = stage();
      const { data } = await client.call("listMembers", { path });
      expect(data.map(({ id, attributes }) => [id, attributes.name])).toEqual([
        [composite(world.member.id), "member"],
        [composite(world.second.id), "second"],
      ]);
    });

    test("an empty include means none", async () => {
      const { client, path, create } = stage();
      const { id: event_id } = await create();
      const query = { include: "" };
      for (const answer of [
        await client.call("listCalendars", { query }),
        await client.call("getCalendar", { path, query }),
        await client.call("getEvent", { path: { ...path, event_id }, query }),
        await client.call("listUpcomingEvents", { path, query }),
      ]) {
        expect(answer).not.toHaveProperty("included");
      }
    });

    test("one slash at the end of a path changes nothing, whatever the method", async () => {
      const { client, calendar } = stage();
      const created = await client.request("POST", `${calendar}/events/`, { body: eventBody(KEEP) });
      expect(created).toMatchObject({ status: 201 });
      const event = `${calendar}/events/${(created.json as { data: { id: string } }).data.id}`;
      const requests = [
        ["GET", "/user"],
        ["HEAD", "/user"],
        ["GET", "/calendars", "?include=labels"],
        ["GET", calendar],
        ["GET", `${calendar}/labels`],
        ["GET", `${calendar}/members`],
        ["GET", `${calendar}/upcoming_events`, "?days=7"],
        ["GET", event],
        ["PUT", event, "", eventBody(KEEP)],
        ["POST", `${event}/activities`, "", activityBody("See you")],
        ["DELETE", event],
      ] as const;
      for (const [method, target, query = "", body] of requests) {
        const { status } = await client.request(method, `${target}/${query}`, { body });
        expect({ method, target, status }).toEqual({ method, target, status: SUCCESS[method] });
      }
      expect((await client.request("GET", event)).status).toBe(404);
    });

    test("unknown query parameters are ignored", async () => {
      const { client } = stage();
      await client.call("getCurrentUser", { query: { include: "anything", days: "0" } });
      await client.call("listCalendars", { query: { "page[size]": "1", days: "x" } });
    });
  });
}
