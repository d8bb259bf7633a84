import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../contract/date-time.js";
import type { EventResource } from "../../contract/resources.js";
import { createStage, type Stage } from "./contract/stage.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { sendInProcess } from "./support/send.js";

/** Series as time goes by, and beyond the two years of which occurrences are made. It is 21 November 2026. */

let stage: Stage;
beforeEach(async () => {
  stage = await createStage(async ({ service }) => ({
    send: sendInProcess(service),
    close: async () => undefined,
  }));
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
    await createSeries("FREQ=DAILY");
    expect(daysOf(await list()).at(-1)).toBe("2028-11-20");
    stage.world.clock.now += 10 * DAY_MS;
    await stage.world.service.continueSeries();
    expect(daysOf(await list()).at(-1)).toBe("2028-11-30");
    stage.world.clock.now += 10 * DAY_MS;
    const since = (await stage.client.call("listChanges", { path: stage.path })).meta.revision;
    await stage.create(KEEP);
    expect(daysOf(await list()).at(-1)).toBe("2028-12-10");
    const query = { since: String(since) };
    const { data } = await stage.client.call("listChanges", { path: stage.path, query });
    expect(data).toHaveLength(11);
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
