import { describe, expect, test } from "vitest";
import { feedBody } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

/** Feeds, which the contract does not have: what their makers do with them. @see docs/extensions.md */
export function describeFeeds(stage: () => Stage, isWhole: boolean): void {
  const create = (attributes: object = {}, calendars = [stage().path.calendar_id]) =>
    stage().client.call("createFeed", { body: feedBody(calendars, attributes) });
  const list = async () => (await stage().client.call("listFeeds")).data;

  describe("feeds", () => {
    test("are listed with everything but their secrets, oldest first, until they are removed", async () => {
      const { client, path } = stage();
      const first = (await create({ name: "For my phone", timezone: "Europe/Berlin" })).data;
      const second = (await create({ busy_only: true })).data;
      expect(first).toMatchObject({
        attributes: {
          name: "For my phone",
          busy_only: false,
          timezone: "Europe/Berlin",
          last_used_at: null,
        },
        relationships: { calendars: { data: [{ id: path.calendar_id, type: "calendar" }] } },
      });
      expect(first.attributes.secret).toMatch(/^[\w-]{43}$/);
      const withoutSecret = ({ attributes: { secret: _, ...attributes }, ...feed }: typeof first) => ({
        ...feed,
        attributes,
      });
      expect(await list()).toEqual([first, second].map(withoutSecret));
      expect((await client.request("GET", "/feeds/")).status).toBe(200);
      await client.call("deleteFeed", { path: { feed_id: first.id } });
      expect(await list()).toEqual([withoutSecret(second)]);
      const again = await client.request("DELETE", `/feeds/${first.id}`);
      expect(again.status).toBe(404);
    });

    test("are used at their address, until they are removed", async () => {
      const { world, client, create: createEvent } = stage();
      await createEvent();
      const ask = async (secret: string) => {
        const request = {
          method: "GET",
          target: `/feeds/${secret}.ics`,
          headers: {},
          body: new Uint8Array(),
        };
        const response = await world.service.handle(request, { kind: "network", address: "192.0.2.7" });
        return { ...response, text: new TextDecoder().decode(response.body) };
      };
      const { id, attributes } = (await create()).data;
      expect(await ask(attributes.secret)).toMatchObject({
        status: 200,
        text: expect.stringContaining("SUMMARY:Lunch"),
      });
      const used = (await list())[0]?.attributes.last_used_at;
      expect(used).toBe("2026-11-21T00:00:00.000Z");
      await client.call("deleteFeed", { path: { feed_id: id } });
      expect((await ask(attributes.secret)).status).toBe(410);
    });

    if (!isWhole) return;

    test("are named after their calendars, unless only times are to be seen", async () => {
      expect((await create()).data.attributes).toMatchObject({ name: "Family", timezone: "UTC" });
      expect((await create({ busy_only: true })).data.attributes.name).toBe("Busy");
    });

    test("have an entity tag that changes with them", async () => {
      const { client } = stage();
      const { headers } = await client.request("GET", "/feeds");
      const known = { headers: { "if-none-match": headers["etag"] ?? "" } };
      expect((await client.request("GET", "/feeds", known)).status).toBe(304);
      await create();
      expect((await client.request("GET", "/feeds", known)).status).toBe(200);
    });

    test("belong to their maker", async () => {
      const { world, client } = stage();
      const { id } = (await create()).data;
      const token = (await world.service.admin.tokens.create({ user: world.second.id, readOnly: false }))
        .token;
      expect((await client.call("listFeeds", { token })).data).toEqual([]);
      expect((await client.request("DELETE", `/feeds/${id}`, { token })).status).toBe(404);
      expect(await list()).toHaveLength(1);
    });

    test("need a token that may write, and calendars of one's own", async () => {
      const { world, client, path } = stage();
      const body = feedBody([path.calendar_id]);
      const readOnly = { token: world.readOnlyToken };
      expect((await client.request("POST", "/feeds", { body, ...readOnly })).status).toBe(403);
      expect((await client.request("DELETE", "/feeds/x", readOnly)).status).toBe(403);
      expect((await client.request("GET", "/feeds", { token: null })).status).toBe(401);
      for (const id of [world.foreignCalendarId, "missing"]) {
        const answer = await client.request("POST", "/feeds", { body: feedBody([path.calendar_id, id]) });
        expect(answer).toMatchObject({
          status: 400,
          errors: { calendars: [`"${id}" is not a calendar of yours`] },
        });
      }
      expect(await list()).toEqual([]);
    });

    test("are refused with a wrong name, zone or other field", async () => {
      const { client, path } = stage();
      for (const [attributes, errors] of [
        [{ name: "" }, { name: ["must not be empty"] }],
        [{ name: "n".repeat(101) }, { name: ["must be at most 100 characters"] }],
        [{ name: "a\nb" }, { name: ["must not contain control characters"] }],
        [{ busy_only: "yes" }, { busy_only: ["must be true or false"] }],
        [{ timezone: "Mars/Base" }, { timezone: ["must be a timezone name such as Asia/Tokyo"] }],
      ]) {
        const body = feedBody([path.calendar_id], attributes);
        expect(await client.request("POST", "/feeds", { body })).toMatchObject({ status: 400, errors });
      }
    });

    test("of no calendar, and more than 100, are refused", async () => {
      const { client, path, world } = stage();
      const empty = await client.request("POST", "/feeds", { body: feedBody([]) });
      expect(empty).toMatchObject({ status: 400, errors: { calendars: ["must have at least one"] } });
      await create();
      await world.tables.change(
        `insert into feeds with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 99)
        select 'x' || n, user_id, name, calendars, busy_only, timezone, 'x' || n, created_at, null, null from feeds, numbers`,
      );
      const answer = await client.request("POST", "/feeds", { body: feedBody([path.calendar_id]) });
      expect(answer).toMatchObject({
        status: 400,
        errors: "there are 100 feeds already; remove one that nobody needs",
      });
    });
  });
}
