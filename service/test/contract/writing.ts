import { describe, expect, test } from "vitest";
import { activityBody, eventBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import { NOW } from "../support/world.js";
import type { Stage } from "./stage.js";

const FULL = {
  ...SCHEDULE,
  start_timezone: "Asia/Tokyo",
  end_timezone: "Europe/Berlin",
  description: "with soup",
  location: "Kitchen",
  url: "https://example.org/lunch",
};

export function describeWriting(stage: () => Stage, isWhole: boolean): void {
  describe("writing", () => {
    test("a schedule is created as it was sent", async () => {
      const { client, world, path, create, composite } = stage();
      const event = await create(FULL, { label: "2", attendees: [world.second.id, world.member.id] });
      expect(event.id).toMatch(/^[0-9a-f]{32}$/);
      const created_at = "2026-11-21T10:00:00.000Z";
      expect(event.attributes).toEqual({ ...FULL, recurrences: [], created_at, updated_at: created_at });
      expect(event.relationships).toEqual({
        creator: { data: { id: composite(world.member.id), type: "user" } },
        label: { data: { id: composite("2"), type: "label" } },
        attendees: {
          data: [
            { id: composite(world.second.id), type: "user" },
            { id: composite(world.member.id), type: "user" },
          ],
        },
      });
      const { data } = await client.call("getEvent", { path: { ...path, event_id: event.id } });
      expect(data).toEqual(event);
    });

    test("an update replaces: missing fields are cleared, id and creator stay", async () => {
      const { client, world, path, create, composite } = stage();
      const event = await create(FULL, { attendees: [world.second.id] });
      world.clock.now += 60_000;
      const { token } = await world.service.admin.tokens.create({ user: "second", readOnly: false });
      const { data } = await client.call("updateEvent", {
        token,
        path: { ...path, event_id: event.id },
        body: eventBody({ title: "Tea", category: "keep" }, { label: "5" }),
      });
      expect(data).toEqual({
        id: event.id,
        type: "event",
        attributes: {
          title: "Tea",
          category: "keep",
          all_day: false,
          start_at: null,
          start_timezone: null,
          end_at: null,
          end_timezone: null,
          recurrences: [],
          description: "",
          location: "",
          url: "",
          created_at: event.attributes.created_at,
          updated_at: "2026-11-21T10:01:00.000Z",
        },
        relationships: {
          creator: { data: { id: composite(world.member.id), type: "user" } },
          label: { data: { id: composite("5"), type: "label" } },
          attendees: { data: [] },
        },
      });
    });

    test("updated_at increases even within one millisecond and when the clock is set back", async () => {
      const { client, world, path, create } = stage();
      const event = await create();
      const seen = [event.attributes.updated_at];
      for (const now of [NOW, NOW, NOW - 3_600_000]) {
        world.clock.now = now;
        const { data } = await client.call("updateEvent", {
          path: { ...path, event_id: event.id },
          body: eventBody(SCHEDULE),
        });
        seen.push(data.attributes.updated_at);
      }
      expect(seen).toEqual([...new Set(seen)].sort());
    });

    test("a deleted event is gone, with its comments and attendees", async () => {
      const { client, world, path, calendar, create } = stage();
      const event = await create(undefined, { attendees: [world.second.id] });
      const eventPath = { ...path, event_id: event.id };
      await client.call("createActivity", { path: eventPath, body: activityBody("see you") });
      await client.call("deleteEvent", { path: eventPath });
      for (const method of ["GET", "DELETE"]) {
        expect((await client.request(method, `${calendar}/events/${event.id}`)).status).toBe(404);
      }
    });

    test("text is counted in code points and stored completely", async () => {
      const { client, path, create } = stage();
      const longest = {
        ...SCHEDULE,
        title: "😀".repeat(50),
        description: "ü".repeat(10_000),
        location: "🏠".repeat(100),
      };
      const { id, attributes } = await create(longest);
      expect(attributes).toMatchObject(longest);
      const { data } = await client.call("createActivity", {
        path: { ...path, event_id: id },
        body: activityBody("🎉".repeat(1_000)),
      });
      expect(data.attributes.content).toBe("🎉".repeat(1_000));
    });

    if (!isWhole) return;

    const NO_TIMES = { start_at: null, start_timezone: null, end_at: null, end_timezone: null };

    test.each<[string, object, object]>([
      [
        "missing fields are not set",
        SCHEDULE,
        { start_timezone: "UTC", end_timezone: "UTC", description: "", location: "", url: "" },
      ],
      [
        "a keep needs no times",
        { ...KEEP, start_timezone: "Asia/Tokyo" },
        { category: "keep", all_day: false, ...NO_TIMES },
      ],
      [
        "null is treated as missing",
        { ...KEEP, all_day: null, url: null, start_at: null, end_at: null },
        { all_day: false, url: "", start_at: null },
      ],
      [
        "times of any offset and precision come back in UTC",
        { ...SCHEDULE, start_at: "2026-11-21T21:00+09:00", end_at: "2026-11-21T08:30:00.5-04:30" },
        { start_at: "2026-11-21T12:00:00.000Z", end_at: "2026-11-21T13:00:00.500Z" },
      ],
      [
        "an all-day event keeps the dates as written, whatever the offset",
        {
          ...SCHEDULE,
          all_day: true,
          start_at: "2026-11-21T00:00:00+09:00",
          end_at: "2026-11-23T00:00:00-08:00",
        },
        { start_at: "2026-11-21T00:00:00.000Z", end_at: "2026-11-23T00:00:00.000Z" },
      ],
    ])("%s", async (_, sent, expected) => {
      expect((await stage().create(sent)).attributes).toMatchObject(expected);
    });

    test("unknown members of the body are ignored", async () => {
      const { attributes } = await stage().create({ ...SCHEDULE, location_lat: 52.5, scope: 1 });
      expect(attributes).not.toHaveProperty("location_lat");
      expect(attributes).not.toHaveProperty("scope");
    });

    test("ids may be plain or composite, and duplicate attendees are removed", async () => {
      const { world, create, composite } = stage();
      const { relationships } = await create(undefined, {
        label: composite("4"),
        attendees: [world.second.id, composite(world.second.id), composite(world.member.id)],
      });
      expect(relationships.label.data.id).toBe(composite("4"));
      expect(relationships.attendees.data.map(({ id }) => id)).toEqual([
        composite(world.second.id),
        composite(world.member.id),
      ]);
    });

    test("an attendee who left the calendar may stay in an update, but not join a new event", async () => {
      const { client, world, path, calendar, create } = stage();
      const event = await create(undefined, { attendees: [world.second.id] });
      await world.service.admin.members.remove("second", "Family");
      const body = eventBody(SCHEDULE, { attendees: [world.second.id] });
      const { data } = await client.call("updateEvent", { path: { ...path, event_id: event.id }, body });
      expect(data.relationships.attendees.data).toHaveLength(1);
      const refused = await client.request("POST", `${calendar}/events`, { body });
      expect(refused).toMatchObject({ status: 400, errors: { attendees: [expect.any(String)] } });
    });

    test("a comment is created on its event", async () => {
      const { client, path, create } = stage();
      const { id } = await create();
      const { data } = await client.call("createActivity", {
        path: { ...path, event_id: id },
        body: activityBody("see\nyou 😀"),
      });
      expect(data).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        type: "activity",
        attributes: {
          content: "see\nyou 😀",
          created_at: "2026-11-21T10:00:00.000Z",
          updated_at: "2026-11-21T10:00:00.000Z",
        },
      });
    });
  });
}
