import { beforeEach, describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../contract/date-time.js";
import { activityBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import { NOW } from "../support/world.js";
import type { Stage } from "./stage.js";

const at = (days: number, hours = 0) => new Date(NOW + days * DAY_MS + hours * HOUR_MS).toISOString();

/** The two lists that the contract does not have: events of any days, and comments. */
export function describeLists(stage: () => Stage, isWhole: boolean): void {
  /** Adds an event of one hour. @param days from now on */
  const add = async (title: string, days: number, attributes: object = {}) =>
    (await stage().create({ ...SCHEDULE, title, start_at: at(days), end_at: at(days, 1), ...attributes })).id;
  const allDay = (title: string, first: string, end: string) =>
    add(title, 0, { all_day: true, start_at: `${first}T00:00:00Z`, end_at: `${end}T00:00:00Z` });
  const list = async (query: Record<string, string> = {}) => {
    const { client, path } = stage();
    return client.call("listEvents", { path, query });
  };
  const titles = async (query: Record<string, string> = {}) =>
    (await list(query)).data.map(({ attributes }) => attributes.title);

  /** Follows the links of a list, like every client. @param between is called after each page */
  async function readPages(target: string, between: () => Promise<void> = async () => undefined) {
    const { client } = stage();
    const base = new URL(target, "http://service.example");
    const pages: string[][] = [];
    let next: string | null = `${base.pathname}${base.search}`;
    while (next !== null) {
      const { status, json } = await client.request("GET", next);
      expect(status).toBe(200);
      const { data, links } = json as ListJson;
      pages.push(data.map(({ id }) => id));
      const url: URL | null = links.next === null ? null : new URL(links.next, base);
      next = url && `${url.pathname}${url.search}`;
      await between();
    }
    return pages;
  }

  describe("a list of events", () => {
    test("has those that take place on the days, both included, ordered by start", async () => {
      await add("after", 3, { start_at: "2026-11-24T00:00:00Z", end_at: "2026-11-24T01:00:00Z" });
      await add("last minute", 2, { start_at: "2026-11-23T23:59:00Z", end_at: "2026-11-24T00:30:00Z" });
      await add("first minute", 1, { start_at: "2026-11-22T00:00:00Z", end_at: "2026-11-22T00:01:00Z" });
      await add("until then", 0, { start_at: "2026-11-21T23:00:00Z", end_at: "2026-11-22T00:00:00Z" });
      await add("around", -20, { start_at: at(-20), end_at: at(20) });
      await allDay("all day", "2026-11-23", "2026-11-24");
      expect(await titles({ from: "2026-11-22", to: "2026-11-23" })).toEqual([
        "around",
        "first minute",
        "all day",
        "last minute",
      ]);
    });

    test("of a search has those with the text, without regard to case and width", async () => {
      await add("Dentist", 1);
      await add("in the text", 2, { description: "call the\ndentist" });
      await add("in the place", 3, { location: "Dentist's" });
      await add("100% done_now", 4);
      const others = ["back\\slash", "STRASSE", "école", "ΟΔΟΣ", "日本語の会議", "ＡＢＣ"];
      for (const [index, title] of others.entries()) await add(title, 5 + index);
      for (const [search, found] of [
        ["DENTIST", ["Dentist", "in the text", "in the place"]],
        ["100%", ["100% done_now"]],
        ["e_n", ["100% done_now"]],
        ["%", ["100% done_now"]],
        ["d_ne", []],
        ["*", []],
        ["\\", ["back\\slash"]],
        ["straße", ["STRASSE"]],
        ["E\u0301COLE", ["école"]],
        ["ecole", []],
        ["οδοσ", ["ΟΔΟΣ"]],
        ["会議", ["日本語の会議"]],
        ["ABC", ["ＡＢＣ"]],
      ] as const) {
        expect(await titles({ search }), search).toEqual(found);
      }
    });

    test("include returns the objects of the page, each once", async () => {
      const { create, world, composite } = stage();
      const { member, second } = world;
      await create(undefined, { attendees: [second.id, member.id], label: "2" });
      await create(undefined, { attendees: [second.id], label: "2" });
      const { included, data } = await list({ include: "creator,attendees,label" });
      expect(included?.map(({ id }) => id).sort()).toEqual(
        [composite("2"), composite(member.id), composite(second.id)].sort(),
      );
      const attendees = data.map(({ relationships }) => relationships.attendees.data.map(({ id }) => id));
      expect(attendees).toContainEqual([composite(second.id), composite(member.id)]);
      expect(await list()).not.toHaveProperty("included");
    });

    test("is in the same order whatever the limit, also when events start together", async () => {
      for (const day of [3, 1, 1, 2, 1, 3, 0, 1]) await add("x", day);
      await add("long", -30, { end_at: at(30) });
      await add("longer", -30, { end_at: at(300) });
      const { calendar } = stage();
      const [all = []] = await readPages(`${calendar}/events?from=2026-11-21&to=2026-11-30`);
      expect(all).toHaveLength(10);
      for (const limit of [1, 3, 10]) {
        const pages = await readPages(`${calendar}/events?from=2026-11-21&to=2026-11-30&limit=${limit}`);
        expect(pages.flat(), `limit ${limit}`).toEqual(all);
      }
    });

    if (!isWhole) return;

    test("of the past, of one day, without a first or a last day, and of all days", async () => {
      await add("past", -400);
      await add("today", 0);
      await add("future", 400);
      await stage().create(KEEP);
      expect(await titles({ from: "2025-10-01", to: "2025-10-31" })).toEqual(["past"]);
      expect(await titles({ from: "2026-11-21", to: "2026-11-21" })).toEqual(["today"]);
      expect(await titles({ to: "2026-11-21" })).toEqual(["past", "today"]);
      expect(await titles({ from: "2026-11-21" })).toEqual(["today", "future"]);
      expect(await titles()).toEqual(["past", "today", "future"]);
      for (const timezone of ["UTC", "Asia/Tokyo", "America/New_York"]) {
        const every = { from: "0000-01-01", to: "9999-12-31", timezone };
        expect(await titles(every)).toEqual(["past", "today", "future"]);
      }
    });

    test("begins its days at midnight of the timezone; all-day events are dates in any", async () => {
      await add("late in Tokyo", 0, {
        start_at: "2026-11-21T14:00:00Z",
        end_at: "2026-11-21T15:00:00Z",
      });
      await add("early in Tokyo", 0, {
        start_at: "2026-11-21T15:00:00Z",
        end_at: "2026-11-21T15:30:00Z",
      });
      await allDay("holiday", "2026-11-22", "2026-11-23");
      const day = { from: "2026-11-22", to: "2026-11-22" };
      expect(await titles({ ...day, timezone: "Asia/Tokyo" })).toEqual(["early in Tokyo", "holiday"]);
      expect(await titles(day)).toEqual(["holiday"]);
      expect(await titles({ ...day, timezone: "America/Los_Angeles" })).toEqual(["holiday"]);
    });

    test("keeps with times are in it, keeps without are not, also with a search", async () => {
      await add("timed", 1, { category: "keep" });
      await stage().create({ ...KEEP, title: "timeless" });
      expect(await titles()).toEqual(["timed"]);
      expect(await titles({ search: "time" })).toEqual(["timed"]);
    });

    describe("of one category", () => {
      const DAY = { from: "2026-11-22", to: "2026-11-22" } as const;
      beforeEach(async () => {
        await add("schedule", 2);
        await add("timed keep", 1, { category: "keep" });
        await add("past keep", -9, { category: "keep" });
        for (const title of ["Milk", "Bread"]) await stage().create({ ...KEEP, title });
      });

      test("keep has the keeps of the days, then those without times", async () => {
        const found = async (query: Record<string, string>) => {
          const [all, timeless] = [await titles({ category: "keep", ...query }), ["Bread", "Milk"]];
          expect(all.slice(-2).sort()).toEqual(timeless);
          return all.slice(0, -2);
        };
        expect(await found({})).toEqual(["past keep", "timed keep"]);
        expect(await found(DAY)).toEqual(["timed keep"]);
        expect(await found({ from: "2027-01-01" })).toEqual([]);
        expect(await titles({ category: "keep", search: "milk" })).toEqual(["Milk"]);
        expect(await titles({ category: "schedule" })).toEqual(["schedule"]);
        expect(await titles()).toEqual(["past keep", "timed keep", "schedule"]);
      });

      test("has pages, in the same order whatever the limit", async () => {
        for (let index = 0; index < 70; index += 1) await stage().create(KEEP);
        const { calendar } = stage();
        const [all = []] = await readPages(`${calendar}/events?category=keep`);
        expect(all).toHaveLength(74);
        for (const limit of [7, 73, 74]) {
          const pages = await readPages(`${calendar}/events?category=keep&limit=${limit}`);
          expect(pages.flat(), `limit ${limit}`).toEqual(all);
          expect(pages.length).toBe(Math.ceil(74 / limit));
        }
      });

      test("says so, which a service that ignores the parameter does not", async () => {
        for (const category of ["keep", "schedule"])
          expect((await list({ category })).meta).toEqual({ category });
        expect(await list()).not.toHaveProperty("meta");
      });

      test("takes a cursor only for itself", async () => {
        const { links } = await list({ category: "keep", limit: "1" });
        const { client, calendar } = stage();
        const cursor = new URLSearchParams(links.next ?? "").get("cursor");
        for (const query of ["", "category=schedule&"])
          expect((await client.request("GET", `${calendar}/events?${query}cursor=${cursor}`)).status).toBe(
            400,
          );
      });
    });

    test("events of other calendars are not in it", async () => {
      const { world, client } = stage();
      const other = await world.service.admin.calendars.add({ name: "Work", owner: "member" });
      await add("here", 1);
      expect((await client.call("listEvents", { path: { calendar_id: other.id } })).data).toEqual([]);
    });

    test("errors name each parameter", async () => {
      const { client, calendar } = stage();
      const query = new URLSearchParams({
        ...{ from: "2026-02-30", to: "tomorrow", timezone: "Mars", search: "", include: "labels" },
        ...{ cursor: "", limit: "501", category: "x" },
      });
      const { status, errors } = await client.request("GET", `${calendar}/events?${query}`);
      expect(status).toBe(400);
      expect(Object.keys(errors as object).sort()).toEqual([
        ...["category", "cursor", "from", "include", "limit", "search", "timezone", "to"],
      ]);
      const wrong = ["from=2026-11-22&to=2026-11-21", "limit=0", "from[]=2026-11-21", "to=1&to=2"];
      for (const text of [...wrong, `search=${"x".repeat(201)}`, "from=+2026-11-21", "limit=1e2"]) {
        expect((await client.request("GET", `${calendar}/events?${text}`)).status, text).toBe(400);
      }
      expect((await client.request("GET", `${calendar}/events?days=x&page[size]=1`)).status).toBe(200);
    });

    test("takes a cursor only for its own list, unchanged, and at any later time", async () => {
      const { client, calendar, world } = stage();
      for (let day = 0; day < 3; day += 1) await add("x", day);
      const { links } = await list({ limit: "1", from: "2026-11-21" });
      const cursor = new URLSearchParams(links.next ?? "").get("cursor") ?? "";
      const read = async (query: Record<string, string>) =>
        client.request("GET", `${calendar}/events?${new URLSearchParams(query)}`);
      expect((await read({ from: "2026-11-21", cursor, limit: "2" })).status).toBe(200);
      const other = await world.service.admin.calendars.add({ name: "Work", owner: "member" });
      const [digest = "", ...own] = Buffer.from(cursor, "base64url").toString().split(/[ .]/);
      const [revision = "", start = "", id = ""] = own;
      const encode = (text: string) => Buffer.from(text).toString("base64url");
      const forged = (...parts: readonly string[]) =>
        read({ from: "2026-11-21", cursor: encode([digest, ...parts].join(" ")) });
      const last = own.join(".");
      const earlier = (count: number) => Array(count).fill("0.0.x");
      expect((await forged(`${revision}.${NOW.toString(36)}.x`)).status).toBe(200);
      expect((await forged(last, ...earlier(200))).status).toBe(200);
      const invalid = [
        forged(`${revision}.${start}.\0`),
        forged(`${revision}.${start}.\ud800`),
        forged(`${revision}.1,5.x`),
        forged(`${revision}.zzzzzzzzzzz.x`),
        forged(`${revision}.${start}`),
        forged(last, "x"),
        forged(last, "0.0.x "),
        forged(last, ...earlier(201)),
        forged(),
        // As the version before made them.
        read({ from: "2026-11-21", cursor: encode(JSON.stringify([digest, 1, NOW, id, ""])) }),
        read({ cursor }),
        read({ from: "2026-11-22", cursor }),
        read({ from: "2026-11-21", search: "x", cursor }),
        read({ from: "2026-11-21", timezone: "Asia/Tokyo", cursor }),
        read({ from: "2026-11-21", cursor: "x" }),
        read({ from: "2026-11-21", cursor: encode("[1]") }),
        client.request("GET", `/calendars/${other.id}/events?from=2026-11-21&cursor=${cursor}`),
      ];
      for (const answer of await Promise.all(invalid)) {
        expect(answer).toMatchObject({ status: 400, errors: { cursor: [expect.stringContaining("list")] } });
      }
      world.clock.now += 40 * DAY_MS;
      expect((await read({ from: "2026-11-21", cursor })).status).toBe(200);
      const expired = { status: 400, errors: { cursor: [expect.stringContaining("expired")] } };
      for (const unknown of [0, Number.parseInt(revision, 36) + 1]) {
        expect(await forged([unknown.toString(36), start, id].join("."))).toMatchObject(expired);
      }
      expect(await forged(last, `-${revision}.0.x`)).toMatchObject(expired);
    });
  });

  describe("a list of comments", () => {
    const comment = async (eventId: string, content: string, token?: string) => {
      const { client, path, world } = stage();
      world.clock.now += 1;
      const address = { path: { ...path, event_id: eventId }, body: activityBody(content) };
      return (await client.call("createActivity", { ...address, ...(token && { token }) })).data;
    };
    const listComments = (eventId: string, query: Record<string, string> = {}) => {
      const { client, path } = stage();
      return client.call("listActivities", { path: { ...path, event_id: eventId }, query });
    };

    test("has them oldest first, with their creators", async () => {
      const { world, create, composite } = stage();
      const { id } = await create();
      const { token } = await world.service.admin.tokens.create({ user: "second", readOnly: false });
      const first = await comment(id, "Who brings cake?");
      await comment(id, "I do 🎂\nand candles", token);
      const creator = (userId: string) => ({ creator: { data: { id: composite(userId), type: "user" } } });
      const { data, included, links } = await listComments(id, { include: "creator" });
      expect(data[0]).toEqual({ ...first, relationships: creator(world.member.id) });
      expect(data[1]?.attributes.content).toBe("I do 🎂\nand candles");
      expect(data[1]?.relationships).toEqual(creator(world.second.id));
      expect(included?.map((user) => user.attributes.name).sort()).toEqual(["member", "second"]);
      expect(links).toEqual({ next: null });
      expect(await listComments(id)).not.toHaveProperty("included");
    });

    test("has pages; a comment that comes later is in the last", async () => {
      const { create, calendar } = stage();
      const { id } = await create();
      const ids: string[] = [];
      for (const text of ["a", "b", "c", "d", "e"]) ids.push((await comment(id, text)).id);
      for (const limit of [1, 5, 6]) {
        const pages = await readPages(`${calendar}/events/${id}/activities?limit=${limit}`);
        expect(pages.flat(), `limit ${limit}`).toEqual(ids);
      }
      let late: string | undefined;
      const pages = await readPages(`${calendar}/events/${id}/activities?limit=2`, async () => {
        late ??= (await comment(id, "late")).id;
      });
      expect(pages.flat()).toEqual([...ids, late]);
    });

    if (!isWhole) return;

    test("is empty without comments, and has none of other events", async () => {
      const { create } = stage();
      const { id } = await create();
      await comment((await create()).id, "elsewhere");
      expect(await listComments(id, { include: "creator" })).toEqual({
        data: [],
        included: [],
        links: { next: null },
      });
    });

    test("errors name each parameter, and a cursor of another event is one", async () => {
      const { client, calendar, create } = stage();
      const { id } = await create();
      for (const text of ["a", "b"]) await comment(id, text);
      const { links } = await listComments(id, { limit: "1" });
      const other = `${calendar}/events/${(await create()).id}/activities`;
      expect(await client.request("GET", `${other}${links.next}`)).toMatchObject({
        status: 400,
        errors: { cursor: [expect.any(String)] },
      });
      expect(await client.request("GET", `${other}?include=label&limit=x`)).toMatchObject({
        status: 400,
        errors: { include: [expect.any(String)], limit: [expect.any(String)] },
      });
    });
  });
}

interface ListJson {
  readonly data: readonly { readonly id: string }[];
  readonly links: { readonly next: string | null };
}
