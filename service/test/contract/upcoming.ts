import { describe, expect, test } from "vitest";
import { KEEP, SCHEDULE } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

export function describeUpcoming(stage: () => Stage, isWhole: boolean): void {
  describe("upcoming events", () => {
    const titles = async (query: Record<string, string> = {}) => {
      const { client, path } = stage();
      const { data } = await client.call("listUpcomingEvents", { path, query });
      return data.map(({ attributes }) => attributes.title);
    };
    const timed = (title: string, start_at: string, end_at: string) =>
      stage().create({ ...SCHEDULE, title, start_at, end_at });
    const allDay = (title: string, first: string, end: string) =>
      stage().create({
        ...SCHEDULE,
        title,
        all_day: true,
        start_at: `${first}T00:00:00Z`,
        end_at: `${end}T00:00:00Z`,
      });

    test("everything that overlaps today in UTC by default, ordered by start", async () => {
      await timed("late", "2026-11-21T23:59:00Z", "2026-11-22T00:30:00Z");
      await timed("over", "2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z");
      await timed("into the day", "2026-11-20T23:00:00Z", "2026-11-21T00:00:00.001Z");
      await timed("around the day", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z");
      await timed("until the day", "2026-11-20T23:00:00Z", "2026-11-21T00:00:00Z");
      await timed("after the day", "2026-11-22T00:00:00Z", "2026-11-22T01:00:00Z");
      expect(await titles()).toEqual(["around the day", "into the day", "over", "late"]);
    });

    test("keeps with times are included, keeps without are not", async () => {
      const { start_at, end_at } = SCHEDULE;
      await stage().create({ ...KEEP, title: "timed", start_at, end_at });
      await stage().create(KEEP);
      expect(await titles({ days: "7" })).toEqual(["timed"]);
    });

    if (!isWhole) return;

    test("all-day events are dates in any zone", async () => {
      await allDay("today", "2026-11-21", "2026-11-22");
      await allDay("tomorrow", "2026-11-22", "2026-11-23");
      await allDay("yesterday", "2026-11-20", "2026-11-21");
      await allDay("three days", "2026-11-20", "2026-11-23");
      for (const timezone of ["UTC", "Asia/Tokyo", "America/Los_Angeles", "Etc/GMT+12"]) {
        const expected = timezone === "Etc/GMT+12" ? ["yesterday", "three days"] : ["three days", "today"];
        expect((await titles({ timezone })).sort()).toEqual(expected.sort());
      }
    });

    test("days start at midnight of the timezone", async () => {
      await timed("early in Tokyo", "2026-11-20T15:00:00Z", "2026-11-20T15:30:00Z");
      await timed("tomorrow in Tokyo", "2026-11-21T15:00:00Z", "2026-11-21T15:30:00Z");
      expect(await titles({ timezone: "Asia/Tokyo" })).toEqual(["early in Tokyo"]);
      expect(await titles({ timezone: "Asia/Tokyo", days: "2" })).toEqual([
        "early in Tokyo",
        "tomorrow in Tokyo",
      ]);
    });

    test("events of other calendars are not included", async () => {
      const { world, create, client } = stage();
      const other = await world.service.admin.calendars.add({ name: "Work", owner: "member" });
      await create();
      expect((await client.call("listUpcomingEvents", { path: { calendar_id: other.id } })).data).toEqual([]);
    });

    test("include returns the objects of all events, each once, and an empty list for none", async () => {
      const { client, path, world, create, composite } = stage();
      const query = { include: "creator,attendees,label" };
      expect((await client.call("listUpcomingEvents", { path, query })).included).toEqual([]);
      await create(undefined, { attendees: [world.member.id, world.second.id], label: "2" });
      await create(undefined, { attendees: [world.second.id], label: "2" });
      const { data, included } = await client.call("listUpcomingEvents", { path, query });
      expect(data.map(({ relationships }) => relationships.attendees.data.length).sort()).toEqual([1, 2]);
      expect(included?.map(({ id }) => id).sort()).toEqual(
        [composite("2"), composite(world.member.id), composite(world.second.id)].sort(),
      );
    });
  });
}
