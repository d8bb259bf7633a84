import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../contract/date-time.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

/** Entity tags, which the contract does not have. @see docs/extensions.md */
export function describeConditionalReads(stage: () => Stage, isWhole: boolean): void {
  const get = async (target: string, condition?: string, method = "GET") => {
    const headers = condition === undefined ? {} : { "if-none-match": condition };
    const answer = await stage().client.request(method, target, { headers });
    return { ...answer, tag: answer.headers["etag"] ?? "" };
  };

  describe("a read that the client has the answer to", () => {
    /** Every read of the calendar and its one event. */
    async function targets(): Promise<string[]> {
      const { calendar, create, client, path } = stage();
      const { id } = await create();
      await client.call("createActivity", { path: { ...path, event_id: id }, body: activityBody("I do") });
      return [
        "/calendars?include=labels,members",
        ...["", "/labels", "/members", "/upcoming_events?days=7&include=creator,label,attendees"].map(
          (part) => `${calendar}${part}`,
        ),
        ...["/events", "/events?search=lunch", `/events/${id}?include=label`, `/events/${id}/activities`].map(
          (part) => `${calendar}${part}`,
        ),
      ];
    }

    test("is 304 without a body, with the headers of the 200, and counts like any request", async () => {
      for (const target of await targets()) {
        const first = await get(target);
        expect(first, target).toMatchObject({ status: 200, tag: expect.stringMatching(/^W\/"[\w-]+"$/) });
        expect(first.headers["cache-control"]).toBe("private, no-cache");
        for (const method of ["GET", "HEAD"]) {
          const before = (await get(target)).rate?.remaining ?? 0;
          const again = await get(target, first.tag, method);
          expect(again, `${method} ${target}`).toMatchObject({
            status: 304,
            tag: first.tag,
            json: undefined,
          });
          expect(again.headers["cache-control"]).toBe("private, no-cache");
          expect(again.headers).not.toHaveProperty("content-type");
          expect(again.headers).not.toHaveProperty("content-length");
          expect(again.rate?.remaining).toBe(before - 1);
        }
        expect((await get(target, undefined, "HEAD")).tag).toBe(first.tag);
      }
    });

    test("is each one of a list, weak or strong, and any for *; what is not an entity tag is ignored", async () => {
      const { calendar } = stage();
      const { tag } = await get(calendar);
      const strong = tag.slice("W/".length);
      for (const known of [tag, strong, `"x", ${tag}`, `W/"a,b" ,${strong},"x"`, "*", " * "]) {
        expect((await get(calendar, known)).status, known).toBe(304);
      }
      for (const unknown of ['"x"', "", '"*"', strong.slice(1, -1), `W/"${strong.slice(2)}`]) {
        expect((await get(calendar, unknown)).status, unknown).toBe(200);
      }
    });

    if (!isWhole) return;

    test("is 200 with another tag after every write that it could show", async () => {
      const { calendar, client, path, create, world } = stage();
      const [target = "", event = ""] = [`${calendar}/upcoming_events?include=label`, `${calendar}/events`];
      const { id } = await create();
      const address = { ...path, event_id: id };
      const { calendars, labels, members } = world.service.admin;
      for (const write of [
        () => create(KEEP),
        () => client.call("updateEvent", { path: address, body: eventBody({ ...SCHEDULE, title: "Tea" }) }),
        () => client.call("createActivity", { path: address, body: activityBody("I do") }),
        () => client.call("deleteEvent", { path: address }),
        () => labels.set(world.calendarId, 1, { name: "Home" }),
        () => members.add("outsider", world.calendarId),
        () => calendars.set(world.calendarId, { name: "Home" }),
      ]) {
        const before = [await get(target), await get(event), await get("/calendars")];
        await write();
        for (const [index, path] of [target, event, "/calendars"].entries()) {
          const after = await get(path, before[index]?.tag);
          expect(after.status).toBe(200);
          expect(after.tag).not.toBe(before[index]?.tag);
        }
      }
    });

    test("is not that of another calendar, list, window, include or page", async () => {
      const { calendar, create } = stage();
      for (const title of ["One", "Two", "Three"]) await create({ ...SCHEDULE, title });
      const tags = new Set<string>();
      const reads = [
        ...["labels", "members", "upcoming_events", "upcoming_events?days=2"],
        ...["upcoming_events?timezone=Asia/Tokyo", "upcoming_events?include=label", "events?limit=2"],
        ...["events", "events?from=2026-11-21", "events?search=one", "events?limit=1"],
      ];
      for (const read of reads) tags.add((await get(`${calendar}/${read}`)).tag);
      const { links } = (await get(`${calendar}/events?limit=1`)).json as { links: { next: string } };
      tags.add((await get(`${calendar}/events${links.next}`)).tag);
      expect(tags.size).toBe(reads.length + 1);
    });

    test("ends with the day, but not if it is a page of a list that has an end", async () => {
      const { calendar, create, world } = stage();
      for (const title of ["One", "Two"]) await create({ ...SCHEDULE, title });
      const days = [`${calendar}/upcoming_events?timezone=UTC`, `${calendar}/events?limit=1&to=2026-12-31`];
      const [today, page] = [await get(days[0] ?? ""), await get(days[1] ?? "")];
      world.clock.now += HOUR_MS;
      expect((await get(days[0] ?? "", today.tag)).status).toBe(304);
      expect((await get(days[1] ?? "", page.tag)).status).toBe(304);
      world.clock.now += DAY_MS;
      expect((await get(days[0] ?? "", today.tag)).status).toBe(200);
      expect((await get(days[1] ?? "", page.tag)).status).toBe(304);
    });

    test("is another one when the calendar moves in the user's list", async () => {
      const { client, world } = stage();
      const { calendars, members } = world.service.admin;
      const { id } = await calendars.add({ name: "Work", owner: "member" });
      const { tag } = await get(`/calendars/${id}`);
      await members.remove("member", world.calendarId);
      const after = await get(`/calendars/${id}`, tag);
      expect(after).toMatchObject({ status: 200, json: { data: { attributes: { order: 0 } } } });
      expect((await client.request("GET", `/calendars/${world.calendarId}`)).status).toBe(403);
    });

    test("is still refused to whoever may not read it, or asks in another format", async () => {
      const { calendar, client } = stage();
      const { tag } = await get(calendar);
      const ask = (target: string, options: object = {}, headers: object = {}) =>
        client.request("GET", target, { ...options, headers: { "if-none-match": `${tag}, *`, ...headers } });
      const statuses = [
        await ask(calendar, { token: null }),
        await ask("/calendars/nope"),
        await ask(`/calendars/${stage().world.foreignCalendarId}`),
        await ask(`${calendar}/events/nope`),
        await ask(`${calendar}?include=nope`),
        await ask(calendar, {}, { accept: "text/html" }),
        await ask("/user"),
      ].map(({ status }) => status);
      expect(statuses).toEqual([401, 404, 403, 404, 400, 406, 200]);
    });

    test("does not keep a write from being done", async () => {
      const { calendar, client } = stage();
      const headers = { "if-none-match": "*" };
      const answer = await client.request("POST", `${calendar}/events`, { body: eventBody(KEEP), headers });
      expect(answer.status).toBe(201);
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(answer.headers).not.toHaveProperty("etag");
    });
  });
}
