import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import type { EventResource } from "../../contract/resources.js";
import { createStage, type Stage } from "./contract/stage.js";
import { activityBody, eventBody, feedBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { request, sendInProcess } from "./support/send.js";
import { NOW, type WorldOptions } from "./support/world.js";

/** Series as time goes by, and beyond the two years of which occurrences are made. It is 21 November 2026. */

let stage: Stage;
const openStage = (options?: WorldOptions) =>
  createStage(
    async ({ service }) => ({ send: sendInProcess(service), close: async () => undefined }),
    options,
  );
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

async function list(query: Readonly<Record<string, string>> = {}): Promise<readonly EventResource[]> {
  const events: EventResource[] = [];
  for (let next: string | null = `?${new URLSearchParams(query)}`; next !== null; ) {
    const page: Readonly<Record<string, string>> = Object.fromEntries(new URLSearchParams(next));
    const { data, links } = await stage.client.call("listEvents", { path: stage.path, query: page });
    events.push(...data);
    next = links.next;
  }
  return events;
}

const daysOf = (events: readonly EventResource[]) =>
  events.map(({ attributes }) => attributes.start_at?.slice(0, 10));
const createSeries = (rule: string, changes: object = {}) =>
  stage.create({ ...SCHEDULE, ...changes, recurrences: [`RRULE:${rule}`] });
const revision = async () => (await stage.client.call("listChanges", { path: stage.path })).meta.revision;
const place = (event_id: string) => ({ ...stage.path, event_id });

test("a series none of whose next occurrences is left can be read, changed, commented and deleted", async () => {
  const { id } = await createSeries("FREQ=YEARLY", { title: "Choir" });
  for (const { id: event_id } of await list())
    await stage.client.call("deleteEvent", { path: place(event_id) });
  const read = async () => (await stage.client.call("getEvent", { path: place(id) })).data.attributes;
  expect(await read()).toMatchObject({ title: "Choir", start_at: "2028-11-21T12:00:00.000Z" });
  await stage.client.call("updateEvent", {
    path: place(id),
    body: eventBody({ ...(await read()), title: "Tea" }),
  });
  expect((await read()).title).toBe("Tea");
  await stage.client.call("createActivity", { path: place(id), body: activityBody("I do") });
  const comments = await stage.client.call("listActivities", { path: place(`${id}_20281121T120000Z`) });
  expect(comments.data).toHaveLength(1);
  await stage.client.call("deleteEvent", { path: place(id) });
  expect(await list({ to: "2031-12-31" })).toEqual([]);
});

test.each([
  ["FREQ=YEARLY", "2028-11-21T12:00:00.000Z"],
  ["FREQ=YEARLY;COUNT=2", "2026-11-21T12:00:00.000Z"],
])(
  "%s, of which each occurrence that is a row was changed on its own, is as it was made",
  async (rule, start) => {
    const { id } = await createSeries(rule, { title: "Choir" });
    for (const { id: event_id, attributes } of await list()) {
      const body = eventBody({ ...attributes, title: "Concert", location: "Hall" });
      await stage.client.call("updateEvent", { path: place(event_id), body, query: { scope: "this" } });
    }
    const { attributes } = (await stage.client.call("getEvent", { path: place(id) })).data;
    expect(attributes).toMatchObject({ title: "Choir", start_at: start });
    await stage.client.call("updateEvent", {
      path: place(id),
      body: eventBody({ ...attributes, url: "https://a.example" }),
    });
    const read = (await stage.client.call("getEvent", { path: place(id) })).data.attributes;
    expect(read).toMatchObject({ title: "Choir", url: "https://a.example" });
    const titles = (await list()).map((event) => event.attributes.title);
    expect(titles.slice(0, 2)).toEqual(["Concert", "Concert"]);
    await stage.client.call("createActivity", { path: place(id), body: activityBody("I do") });
    expect((await stage.client.call("listActivities", { path: place(id) })).data).toHaveLength(1);
  },
);

test("an event of a series that gets a new id is listed by it on the next page, wherever it was before", async () => {
  const { id } = await createSeries("FREQ=DAILY;COUNT=3");
  const query = { from: "2026-11-21", to: "2026-12-31", limit: "2" };
  const { data, links } = await stage.client.call("listEvents", { path: stage.path, query });
  const moveTo = async (event_id: string, start: string, scope: string) => {
    const { attributes } = (await stage.client.call("getEvent", { path: place(event_id) })).data;
    const times = { start_at: `${start}:00:00.000Z`, end_at: `${start}:30:00.000Z` };
    const body = eventBody({ ...attributes, ...times });
    await stage.client.call("updateEvent", { path: place(event_id), body, query: { scope } });
  };
  await moveTo(data[0]?.id ?? "", "2026-12-05T12", "this");
  await moveTo(id, "2026-11-22T13", "all");
  const rest = await list(Object.fromEntries(new URLSearchParams(links.next ?? "")));
  expect(daysOf(rest)).toEqual(["2026-11-22", "2026-11-23", "2026-12-05"]);
});

describe("the occurrences of two years", () => {
  test("are continued once a day, and by writes", async () => {
    await createSeries("FREQ=WEEKLY");
    expect(daysOf(await list()).at(-1)).toBe("2028-11-18");
    stage.world.clock.now += 10 * DAY_MS;
    await stage.world.service.continueSeries();
    expect(daysOf(await list()).at(-1)).toBe("2028-11-25");
    stage.world.clock.now += 10 * DAY_MS;
    const since = await revision();
    await stage.create(KEEP);
    expect(daysOf(await list()).at(-1)).toBe("2028-12-09");
    const query = { since: String(since) };
    const { data } = await stage.client.call("listChanges", { path: stage.path, query });
    expect(data).toHaveLength(3);
  });

  test("end with the series", async () => {
    await createSeries("FREQ=WEEKLY;COUNT=120");
    stage.world.clock.now += 1_000 * DAY_MS;
    await stage.world.service.continueSeries();
    stage.world.clock.now += 1_000 * DAY_MS;
    await stage.world.service.continueSeries();
    expect(await list()).toHaveLength(120);
  });

  test("are at least one", async () => {
    const series = await createSeries("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", {
      start_at: "2029-01-01T12:00:00Z",
      end_at: "2029-01-01T13:00:00Z",
    });
    expect(series.attributes.start_at).toBe("2032-02-29T12:00:00.000Z");
    expect(daysOf(await list())).toEqual(["2032-02-29"]);
  });
});

describe("beyond them", () => {
  test("a list has the occurrences of its days, page by page, among other events", async () => {
    const series = await createSeries("FREQ=WEEKLY");
    const other = { start_at: "2030-01-08T12:00:00Z", end_at: "2030-01-08T13:00:00Z" };
    await stage.create({ ...SCHEDULE, ...other, title: "Dinner" });
    const query = { from: "2030-01-01", to: "2030-01-31" };
    const events = await list(query);
    expect(daysOf(events)).toEqual(["2030-01-05", "2030-01-08", "2030-01-12", "2030-01-19", "2030-01-26"]);
    expect(events[0]?.id).toBe(`${series.id}_20300105T120000Z`);
    expect(await list({ ...query, limit: "2" })).toEqual(events);
    expect(daysOf(await list({ ...query, search: "lunch" }))).toHaveLength(4);
    expect(await list({ from: "2028-11-01", to: "2028-12-10" })).toHaveLength(6);
    expect(await list({ from: "2030-01-01" })).toHaveLength(1);
  });

  test("an occurrence can be read, commented, changed and deleted by its id", async () => {
    const { client, path } = stage;
    const attendees = [stage.world.second.id];
    const body = eventBody({ ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY"] }, { attendees });
    const { data: series } = await client.call("createEvent", { path, body });
    const query = { from: "2030-01-01", to: "2030-01-31" };
    const [first, second, third] = await list(query);
    const firstId = first?.id ?? "";
    const read = await client.call("getEvent", { path: place(firstId), query: { include: "attendees" } });
    expect(read.data).toEqual(first);
    expect(read.included?.map(({ id }) => id)).toEqual([stage.composite(stage.world.second.id)]);
    const page = await client.call("listEvents", { path, query: { ...query, include: "attendees" } });
    expect(page.included).toEqual(read.included);
    await client.call("createActivity", { path: place(firstId), body: activityBody("I do") });
    await client.call("updateEvent", {
      path: place(second?.id ?? ""),
      body: eventBody({ ...SCHEDULE, start_at: "2030-01-13T12:00:00Z", end_at: "2030-01-13T13:00:00Z" }),
    });
    await client.call("deleteEvent", { path: place(third?.id ?? "") });
    const expected = ["2030-01-05", "2030-01-13", "2030-01-26"];
    expect(daysOf(await list(query))).toEqual(expected);
    stage.world.clock.now = Date.parse("2028-12-01T10:00:00Z");
    await stage.world.service.continueSeries();
    expect(daysOf(await list(query))).toEqual(expected);
    const comments = await client.call("listActivities", { path: place(firstId) });
    expect(comments.data).toHaveLength(1);
    const whole = await client.call("getEvent", { path: place(series.id) });
    expect(whole.data.attributes.recurrences[1]).toBe("EXDATE:20300112T120000Z,20300119T120000Z");
  });

  test("what is no occurrence is 404", async () => {
    const { id } = await createSeries("FREQ=WEEKLY;COUNT=200");
    for (const slot of ["20300106T120000Z", "20300105T120001Z", "20300105", "20330101T120000Z", "x"]) {
      const { status } = await stage.client.request("GET", `${stage.calendar}/events/${id}_${slot}`);
      expect([slot, status]).toEqual([slot, 404]);
    }
  });
});

describe("when nothing was written for years", () => {
  beforeEach(async () => {
    await createSeries("FREQ=WEEKLY", { title: "Choir" });
    await createSeries("FREQ=WEEKLY;COUNT=130", {
      ...{ title: "Bins", all_day: true, start_timezone: "UTC", end_timezone: "UTC" },
      ...{ start_at: "2026-11-21T00:00:00Z", end_at: "2026-11-22T00:00:00Z" },
    });
    stage.world.clock.now = Date.parse("2029-07-02T10:00:00Z");
  });

  const upcoming = async () =>
    (await stage.client.call("listUpcomingEvents", { path: stage.path, query: { days: "7" } })).data;

  test("the next days have the occurrences that a list of days has", async () => {
    const events = await upcoming();
    expect(
      events.map(({ attributes }) => `${attributes.start_at?.slice(0, 10)} ${attributes.title}`),
    ).toEqual(["2029-07-07 Choir"]);
    expect(events).toEqual(await list({ from: "2029-07-02", to: "2029-07-08" }));
    stage.world.clock.now += 7 * DAY_MS;
    expect(daysOf(await upcoming())).toEqual(["2029-07-14"]);
  });

  test("a list without an end shows them as if they had been continued, and one more day every day", async () => {
    const before = await list({ from: "2029-07-02", search: "choir" });
    expect(daysOf(before).at(-1)).toBe("2031-06-28");
    stage.world.clock.now += 7 * DAY_MS;
    expect(daysOf(await list({ from: "2029-07-02", search: "choir" })).at(-1)).toBe("2031-07-05");
    await stage.world.service.continueSeries();
    expect(
      (await list({ from: "2029-07-02", search: "choir", limit: "30" })).slice(0, before.length),
    ).toEqual(before);
  });

  test("a feed has them, and its page", async () => {
    const body = feedBody([stage.world.calendarId]);
    const { secret } = (await request(stage.world, "POST /feeds", { body })).json.data.attributes;
    const ask = async (target: string) => (await request(stage.world, `GET ${target}`, { token: null })).text;
    expect(await ask(`/feeds/${secret}.ics`)).toContain("SUMMARY:Choir");
    expect(await ask(`/feeds/${secret}`)).toContain("Choir");
  });

  test("are continued some at a time, and never beyond the horizon", async () => {
    const before = await revision();
    await stage.create({ ...KEEP, title: "first" });
    expect((await revision()) - before).toBeLessThanOrEqual(101);
    const shown = await list();
    await stage.world.service.continueSeries();
    expect(daysOf(await list())).toEqual(daysOf(shown));
  });

  test("they are listed while another program writes", async () => {
    const unlock = await stage.world.tables.lock();
    expect(daysOf(await upcoming())).toEqual(["2029-07-07"]);
    await unlock();
  });
});

test("a series is not split at a date that was added, which it would repeat", async () => {
  const recurrences = ["RRULE:FREQ=WEEKLY;COUNT=3", "RDATE:20261125T150000Z"];
  const { id } = await stage.create({ ...SCHEDULE, recurrences });
  const times = { start_at: "2026-11-25T15:00:00Z", end_at: "2026-11-25T16:00:00Z" };
  const target = `${stage.calendar}/events/${id}_20261125T150000Z?scope=following`;
  const body = eventBody({ ...SCHEDULE, ...times, title: "Tea" });
  expect(await stage.client.request("PUT", target, { body })).toMatchObject({
    status: 400,
    errors: { scope: [expect.stringContaining("added by RDATE")] },
  });
  expect(daysOf(await list())).toEqual(["2026-11-21", "2026-11-25", "2026-11-28", "2026-12-05"]);
});

test("a move or a split cannot start a series before 1900 or after 2199", async () => {
  const { id, attributes } = await createSeries("FREQ=YEARLY");
  const refusalOf = async (event_id: string, year: number, scope: string) => {
    const times = { start_at: `${year}-11-21T12:00:00Z`, end_at: `${year}-11-21T13:00:00Z` };
    const body = eventBody({ ...attributes, ...times, title: "Tea", recurrences: undefined });
    const target = `${stage.calendar}/events/${event_id}?scope=${scope}`;
    const { status, errors } = await stage.client.request("PUT", target, { body });
    return [status, errors];
  };
  for (const [event_id, year, scope] of [
    [id, 1899, "all"],
    [id, 2200, "all"],
    [`${id}_22501121T120000Z`, 2250, "following"],
  ] as const)
    expect(await refusalOf(event_id, year, scope)).toEqual([
      400,
      { start_at: [`the series would start in ${year}; begin it between 1900 and 2199`] },
    ]);
  expect(daysOf(await list()).at(0)).toBe("2026-11-21");
});

// What a series counts and refuses does not depend on the database.
if (inject("engine") !== "postgres")
  describe("no series stops the service", () => {
    /** How many turns of the event loop work leaves to others. */
    const turnsOf = async (work: Promise<unknown>) => {
      let turns = 0;
      let isDone = false;
      void work.finally(() => {
        isDone = true;
      });
      for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      await work;
      return turns;
    };

    test("a list beyond the rows lets others in between any two series, whose rules may be slow", async () => {
      const month = () => list({ from: "2040-03-01", to: "2040-03-31" });
      const count = 15;
      await createSeries("FREQ=YEARLY;BYWEEKNO=53;COUNT=60");
      // Loads modules.
      await month();
      for (let made = 1; made < count; made += 1) await createSeries("FREQ=YEARLY;BYWEEKNO=53;COUNT=60");
      expect(await turnsOf(month())).toBeGreaterThan(count);
    });

    test("a service that stops leaves the rest of the due series to the next one", async () => {
      for (let count = 0; count < 4; count += 1) await createSeries("FREQ=WEEKLY");
      stage.world.clock.now += 400 * DAY_MS;
      const { service } = stage.world;
      const before = await revision();
      const stopped = service.continueSeries(AbortSignal.abort(new Error("stopping")));
      await expect(stopped).rejects.toThrow("stopping");
      expect((await revision()) - before).toBeLessThanOrEqual(101);
      await service.continueSeries();
      expect((await revision()) - before).toBeGreaterThan(4 * 50);
    });

    test("while the occurrences of a long one are written and deleted, others are served", async () => {
      const times = { start_at: "2019-11-21T12:00:00Z", end_at: "2019-11-21T13:00:00Z" };
      const body = eventBody({ ...SCHEDULE, ...times, recurrences: ["RRULE:FREQ=DAILY;COUNT=1000"] });
      const create = stage.client.call("createEvent", { path: stage.path, body });
      expect(await turnsOf(create)).toBeGreaterThan(17);
      const path = place((await create).data.id);
      const moved = { ...times, end_at: "2019-11-21T14:00:00Z", start_at: "2019-11-21T13:00:00Z" };
      const move = { path, query: { scope: "all" }, body: eventBody({ ...SCHEDULE, ...moved }) } as const;
      // Rows are read, moved, made, removed and written, each some at a time.
      const turnsOfMove = await turnsOf(stage.client.call("updateEvent", move));
      expect(turnsOfMove).toBeGreaterThan(395);
      expect(
        await turnsOf(stage.client.call("deleteEvent", { path, query: { scope: "all" } })),
      ).toBeGreaterThan(17);
    });

    test("while many comments on an event are moved and deleted, others are served", async () => {
      const { id } = await createSeries("FREQ=DAILY;COUNT=2");
      const path = place(id);
      const { data } = await stage.client.call("createActivity", { path, body: activityBody("I do") });
      const count = 500;
      await stage.world.tables.change(
        `insert into activities with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select activities.id || n, event_id, user_id, content, created_at, updated_at from activities, numbers
      where activities.id = '${data.id}'`,
      );
      // Each slice of work is over as soon as it begins.
      let time = 0;
      vi.spyOn(Date, "now").mockImplementation(() => (time += 5));
      onTestFinished(() => void vi.restoreAllMocks());
      const moved = { start_at: "2026-11-21T12:30:00Z", end_at: "2026-11-21T13:30:00Z" };
      const move = { path, query: { scope: "all" }, body: eventBody({ ...SCHEDULE, ...moved }) } as const;
      // Their ids are listed at once. They are read and deleted 64 at a time, and written one by one.
      expect(await turnsOf(stage.client.call("updateEvent", move))).toBeGreaterThan(count + 2 * (count / 64));
      const [first] = await list();
      const [row] = await stage.world.tables.query(
        `select count(*) as count from activities where event_id = '${first?.id}'`,
      );
      expect(Number(row?.["count"])).toBe(count + 1);
      const deletion = stage.client.call("deleteEvent", { path: place(first?.id ?? "") });
      expect(await turnsOf(deletion)).toBeGreaterThan(count / 64);
    });

    test("an occurrence of any year is read, changed and deleted by its id, or is none", async () => {
      const { id } = await createSeries("FREQ=DAILY");
      const far = `${id}_24001121T120000Z`;
      for (const [method, status] of [
        ["GET", 200],
        ["DELETE", 204],
        ["GET", 404],
      ] as const)
        expect(await stage.client.request(method, `${stage.calendar}/events/${far}`)).toMatchObject({
          status,
        });
      const times = { start_at: "2350-11-21T15:00:00Z", end_at: "2350-11-21T16:00:00Z" };
      const event_id = `${id}_23501121T120000Z`;
      await stage.client.call("updateEvent", {
        path: place(event_id),
        body: eventBody({ ...SCHEDULE, ...times }),
      });
      expect(await list({ from: "2350-11-21", to: "2350-11-21" })).toMatchObject([{ id: event_id }]);
      for (const year of [3026, 9999]) {
        const beyond = `${stage.calendar}/events/${id}_${year}1121T120000Z`;
        expect((await stage.client.request("GET", beyond)).status).toBe(404);
      }
    });

    test("a series has 1,000 exceptions at most, with which it can still be changed, sent back and split", async () => {
      const { id, attributes } = await createSeries("FREQ=DAILY");
      const slot = (day: number) =>
        new Date(NOW + 2 * HOUR_MS + day * DAY_MS).toISOString().replace(/\.\d+|[-:]/g, "");
      const lines = (count: number) => {
        const dates = Array.from({ length: count }, (_, index) => slot(10 + index));
        return ["RRULE:FREQ=DAILY", `EXDATE:${dates.join(",")}`];
      };
      const except = (count: number) =>
        stage.world.tables.change(
          `delete from events where series_id = '${id}' and slot >= ${NOW + 9 * DAY_MS};
        update series set recurrences = '${lines(count).join("\n")}'`,
        );
      const send = (method: string, event: string, changes?: object) =>
        request(stage.world, `${method} ${stage.calendar}/events/${event}`, {
          body: changes && eventBody({ ...attributes, recurrences: undefined, ...changes }),
        });
      await except(1_000);
      const times = { start_at: "2026-11-22T12:00:00Z", end_at: "2026-11-22T13:00:00Z" };
      const refused = {
        status: 400,
        json: {
          errors: {
            recurrences: [
              "a series can have at most 1,000 exceptions; end it here with scope=following and begin another",
            ],
          },
        },
      };
      expect(await send("DELETE", `${id}_${slot(1)}`)).toMatchObject(refused);
      expect(await send("PUT", `${id}_${slot(1)}`, { ...times, title: "Tea" })).toMatchObject(refused);
      expect((await send("PUT", `${id}_${slot(1)}`, times)).status).toBe(200);
      await except(1_001);
      const whole = await send("PUT", id, { title: "Tea", recurrences: lines(1_001) });
      expect(whole.json.data.attributes).toMatchObject({ title: "Tea", recurrences: lines(1_001) });
      const next = await send("PUT", `${id}_${slot(1)}?scope=following`, times);
      expect(next.json.data.attributes.recurrences).toEqual(lines(1_001));
      expect((await send("DELETE", `${id}_${slot(0)}`)).status).toBe(204);
    });

    test("a calendar has 1,000 at most, which can still be changed", async () => {
      const { id, attributes } = await createSeries("FREQ=DAILY;COUNT=1");
      const columns = `calendar_id, category, title, all_day, start_clock, length, start_timezone, end_timezone,
      description, location, url, label_number, creator_id, created_at, updated_at, attendees, recurrences, modified_at, made_until`;
      await stage.world.tables.change(
        `insert into series (id, ${columns}) with recursive numbers(n) as (
          select 1 union all select n + 1 from numbers where n < 999)
        select 'x' || n, ${columns} from series, numbers`,
      );
      const body = eventBody({ ...SCHEDULE, recurrences: ["RRULE:FREQ=DAILY;COUNT=1"] });
      const { status, json } = await request(stage.world, `POST ${stage.calendar}/events`, { body });
      expect([status, json.errors]).toEqual([
        400,
        { recurrences: ["a calendar can have at most 1,000 series; delete some that have ended"] },
      ]);
      await stage.client.call("updateEvent", {
        path: place(id),
        body: eventBody({ ...attributes, title: "Tea" }),
      });
      expect((await list()).map((event) => event.attributes.title)).toEqual(["Tea"]);
    });
  });
