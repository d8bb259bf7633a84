import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../contract/date-time.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

/** What changed since a revision, which the contract does not have. @see docs/extensions.md */
export function describeChanges(stage: () => Stage, isWhole: boolean): void {
  const ask = (query: string) => stage().client.request("GET", `${stage().calendar}/changes${query}`);
  const since = async (revision: number, query: Record<string, string> = {}) => {
    const { client, path } = stage();
    const answer = await client.call("listChanges", { path, query: { since: String(revision), ...query } });
    return { ...answer, ids: answer.data.map(({ id }) => id) };
  };
  const current = async () => {
    const { client, path } = stage();
    return (await client.call("listChanges", { path })).meta.revision;
  };
  const address = (id: string) => ({ ...stage().path, event_id: id });
  const update = (id: string, attributes: object) =>
    stage().client.call("updateEvent", { path: address(id), body: eventBody(attributes) });
  const remove = (id: string) => stage().client.call("deleteEvent", { path: address(id) });

  describe("what changed since a revision", () => {
    test("is every event that was written, once and as it is now, and the ids of those deleted", async () => {
      const { client, create, path } = stage();
      const kept = await create({ ...SCHEDULE, title: "Kept" });
      const [moved, deleted] = [await create(), await create()];
      const start = await current();
      await update(moved.id, { ...SCHEDULE, title: "First" });
      const keep = await create(KEEP);
      await remove(deleted.id);
      const passing = await create();
      await remove(passing.id);
      await client.call("createActivity", { path: address(kept.id), body: activityBody("I do") });
      await update(moved.id, { ...SCHEDULE, title: "Last" });
      const { data, ids, meta, links } = await since(start);
      expect(ids).toEqual([keep.id, moved.id]);
      for (const event of data) {
        expect(event).toEqual((await client.call("getEvent", { path: address(event.id) })).data);
      }
      expect(data[1]?.attributes.title).toBe("Last");
      expect({ meta, links }).toEqual({
        meta: { revision: start + 7, deleted: [deleted.id, passing.id], details_changed: false },
        links: { next: null },
      });
      expect((await client.call("listEvents", { path })).data).toHaveLength(2);
    });

    test("has what include asks for, and whether the calendar, its labels or members changed", async () => {
      const { create, world, composite } = stage();
      const start = await current();
      await create(SCHEDULE, { label: "2", attendees: [world.second.id] });
      const { included, meta } = await since(start, { include: "label,creator,attendees" });
      expect(included?.map(({ id }) => id).sort()).toEqual(
        [composite("2"), composite(world.member.id), composite(world.second.id)].sort(),
      );
      expect(meta.details_changed).toBe(false);
      const { labels, members, calendars } = world.service.admin;
      for (const change of [
        () => labels.set(world.calendarId, 1, { name: "Home" }),
        () => members.add("outsider", world.calendarId),
        () => members.remove("outsider", world.calendarId),
        () => calendars.set(world.calendarId, { description: "Ours" }),
      ]) {
        const before = await current();
        await change();
        expect((await since(before)).meta).toEqual({
          revision: before + 1,
          deleted: [],
          details_changed: true,
        });
        expect((await since(before + 1)).meta.details_changed).toBe(false);
      }
    });

    test("comes in pages, each of which says since when to go on", async () => {
      const { client, calendar, create } = stage();
      const start = await current();
      const ids: string[] = [];
      for (let count = 0; count < 7; count += 1) ids.push((await create()).id);
      await remove(ids[1] ?? "");
      const seen: string[] = [];
      const sizes: number[] = [];
      let next: string | null = `?since=${start}&limit=3`;
      let last = start;
      while (next !== null) {
        const { json } = await client.request("GET", `${calendar}/changes${next}`);
        const page = json as Awaited<ReturnType<typeof since>>;
        const changed = [...page.data.map(({ id }) => id), ...page.meta.deleted];
        seen.push(...changed);
        sizes.push(changed.length);
        expect(page.meta.revision).toBeGreaterThan(last);
        last = page.meta.revision;
        // A write in between is in a later page, and moves none to an earlier one.
        if (sizes.length === 1) await update(ids[0] ?? "", { ...SCHEDULE, title: "Again" });
        next = page.links.next;
      }
      expect(sizes).toEqual([3, 3, 2]);
      expect(seen).toEqual([0, 2, 3, 4, 5, 6, 0, 1].map((index) => String(ids[index])));
      expect(last).toBe(await current());
    });

    test("is 410 before deletions were forgotten, and after the current revision", async () => {
      const { create, world } = stage();
      const start = await current();
      const ids = [(await create()).id, (await create()).id, (await create()).id];
      await remove(ids[0] ?? "");
      await remove(ids[1] ?? "");
      const known = await current();
      world.clock.now += 31 * DAY_MS;
      expect((await since(start)).meta.deleted).toEqual(ids.slice(0, 2));
      await remove(ids[2] ?? "");
      const now = await current();
      expect((await since(known)).meta.deleted).toEqual([ids[2]]);
      for (const wrong of [start, known - 1, now + 1]) {
        expect(await ask(`?since=${wrong}`)).toMatchObject({
          status: 410,
          json: { title: "Gone" },
          errors: { since: [`is not from ${known} to ${now}; read the events anew`] },
        });
      }
    });

    if (!isWhole) return;

    test("is nothing since the current one, which the events of the calendar come with", async () => {
      const { client, calendar, create } = stage();
      await create();
      const revision = await current();
      expect(await since(revision)).toEqual({
        data: [],
        ids: [],
        links: { next: null },
        meta: { revision, deleted: [], details_changed: false },
      });
      for (const list of ["upcoming_events", "events", "events?limit=1"]) {
        const { headers } = await client.request("GET", `${calendar}/${list}`);
        expect(headers["calendar-revision"], list).toBe(String(revision));
        const known = { "if-none-match": headers["etag"] ?? "" };
        const again = await client.request("GET", `${calendar}/${list}`, { headers: known });
        expect(again).toMatchObject({ status: 304, headers: { "calendar-revision": String(revision) } });
      }
    });

    test("makes pages of at most 4 MiB, and of one event at least", async () => {
      const { create } = stage();
      const start = await current();
      for (let count = 0; count < 70; count += 1)
        await create({ ...KEEP, description: "\u0001".repeat(10_000) });
      const { data, links } = await since(start);
      expect(data).toHaveLength(68);
      expect(links.next).toContain(`since=${start + 68}`);
    });

    test("is 400 since what is not a revision", async () => {
      for (const text of ["0", "-1", "1.5", "x", "", "1".repeat(16)]) {
        expect(await ask(`?since=${text}`), text).toMatchObject({
          status: 400,
          errors: { since: ["must be one whole number from 1 on"] },
        });
      }
    });
  });
}
