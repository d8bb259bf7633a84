import { describe, expect, test } from "vitest";
import type { EventResource } from "../../../contract/resources.js";
import { activityBody, eventBody, SCHEDULE } from "../support/event-bodies.js";
import { NOW } from "../support/world.js";
import type { Stage } from "./stage.js";

const WEEKLY = { ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY;COUNT=5"] };
const DAYS = ["11-21", "11-28", "12-05", "12-12", "12-19"];

export function describeSeriesScopes(stage: () => Stage, isWhole: boolean): void {
  const list = async () => (await stage().client.call("listEvents", { path: stage().path })).data;
  /** `MM-DDTHH title` of every event. */
  const shown = async () =>
    (await list()).map(({ attributes }) => `${attributes.start_at?.slice(5, 13)} ${attributes.title}`);
  const lunches = (days: readonly string[]) => days.map((day) => `${day}T12 Lunch`);
  const get = async (event_id: string) =>
    (await stage().client.call("getEvent", { path: { ...stage().path, event_id } })).data;
  const put = (event_id: string, attributes: object, scope?: string) =>
    stage().client.call("updateEvent", {
      path: { ...stage().path, event_id },
      body: eventBody(attributes),
      ...(scope !== undefined && { query: { scope } }),
    });
  const remove = (event_id: string, scope?: string) =>
    stage().client.call("deleteEvent", {
      path: { ...stage().path, event_id },
      ...(scope !== undefined && { query: { scope } }),
    });
  const refusal = async (method: string, target: string, body?: object) => {
    const { client, calendar } = stage();
    const { status, errors } = await client.request(method, `${calendar}/events/${target}`, { body });
    return { status, errors };
  };
  /** A series of five Saturdays, and its occurrences. */
  async function createWeekly(attributes: object = WEEKLY) {
    const series = await stage().create(attributes);
    const events = await list();
    return { series, at: (index: number): EventResource => events[index] ?? series };
  }
  const attributesOf = ({ attributes }: EventResource, changes: object) => {
    const { recurrences: _, recurring_uuid: _series, ...rest } = attributes;
    return { ...rest, ...changes };
  };
  const changesSince = (since: number) =>
    stage().client.call("listChanges", { path: stage().path, query: { since: String(since) } });
  const revision = async () =>
    (await stage().client.call("listChanges", { path: stage().path })).meta.revision;

  describe("an occurrence by itself", () => {
    test("is equal to its series again when it is put back", async () => {
      const { series, at } = await createWeekly();
      const { id, attributes } = at(1);
      await put(id, attributesOf(at(1), { title: "Dinner", start_at: "2026-11-28T09:00:00.000Z" }));
      const { data } = await put(id, attributesOf(at(1), {}));
      expect(data).toMatchObject({ id, attributes });
      const updated_at = new Date(NOW + 2).toISOString();
      expect((await get(series.id)).attributes).toEqual({ ...series.attributes, updated_at });
      const { meta } = await put(series.id, attributesOf(series, { title: "Tea" }));
      expect(meta).toEqual({ kept: 0 });
      expect(await shown()).toEqual(DAYS.map((day) => `${day}T12 Tea`));
    });

    test("comes back when the series is sent without the exception", async () => {
      const { series, at } = await createWeekly();
      await remove(at(1).id, "this");
      await put(series.id, WEEKLY);
      expect(await shown()).toEqual(lunches(DAYS));
      expect((await list())[1]?.id).toBe(at(1).id);
    });

    if (!isWhole) return;

    test("is changed by a client that knows no series, and is one change", async () => {
      const { series, at } = await createWeekly();
      const since = await revision();
      const { data } = await put(at(1).id, attributesOf(at(1), { title: "Dinner" }));
      expect(data.id).toBe(at(1).id);
      expect(data.attributes).toMatchObject({ recurring_uuid: series.id, recurrences: [], title: "Dinner" });
      expect(await shown()).toEqual(lunches(DAYS).with(1, "11-28T12 Dinner"));
      expect((await get(series.id)).attributes.recurrences).toEqual([
        "RRULE:FREQ=WEEKLY;COUNT=5",
        "EXDATE:20261128T120000Z",
      ]);
      const { data: changed, meta } = await changesSince(since);
      expect(changed.map(({ id }) => id)).toEqual([at(1).id]);
      expect(meta.deleted).toEqual([]);
    });

    test("stays equal to its series when a client sends what it has read", async () => {
      const { series, at } = await createWeekly();
      for (const { id, attributes } of [at(1), at(2)]) {
        const { data } = await put(id, attributes);
        expect(data.attributes).toEqual(attributes);
      }
      const { meta } = await put(series.id, attributesOf(series, { title: "Tea" }));
      expect(meta).toEqual({ kept: 0 });
      expect(await shown()).toEqual(DAYS.map((day) => `${day}T12 Tea`));
    });

    test("that the rule has no more stays excepted when it is put back", async () => {
      const { series, at } = await createWeekly();
      const { id } = at(1);
      await put(id, attributesOf(at(1), { title: "Dinner" }));
      const fortnightly = { recurrences: ["RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=2"] };
      await put(series.id, attributesOf(series, fortnightly));
      const { data } = await put(id, attributesOf(at(1), {}));
      expect(data.attributes).toMatchObject({ recurring_uuid: series.id, recurrences: [] });
      expect(await shown()).toEqual(lunches(["11-21", "11-28", "12-05"]));
    });

    test("is deleted, and does not come back", async () => {
      const { at } = await createWeekly();
      await remove(at(1).id, "this");
      await remove(at(0).id);
      expect(await shown()).toEqual(lunches(DAYS.slice(2)));
      expect((await get(at(2).id)).attributes).toEqual(at(2).attributes);
      await put(at(2).id, attributesOf(at(2), { title: "Tea" }), "all");
      expect(await shown()).toEqual(DAYS.slice(2).map((day) => `${day}T12 Tea`));
    });

    test("ends the series when it was the last one", async () => {
      const { series, at } = await createWeekly();
      for (let index = 0; index < 5; index += 1) await remove(at(index).id, "this");
      expect(await list()).toEqual([]);
      expect((await refusal("GET", series.id)).status).toBe(404);
    });

    test("keeps its rule: another one, or none, is 400", async () => {
      const { at } = await createWeekly();
      const update = (recurrences: readonly string[]) =>
        refusal("PUT", at(0).id, eventBody({ ...SCHEDULE, recurrences }));
      expect(await update(["RRULE:FREQ=DAILY;COUNT=2"])).toEqual({
        status: 400,
        errors: { recurrences: ["cannot be changed for one occurrence; send scope=following or all"] },
      });
      expect(await update([])).toEqual({
        status: 400,
        errors: { recurrences: ["must not be empty for an event of a series; leave it out"] },
      });
      const { data } = await put(at(0).id, { ...WEEKLY, title: "Tea" });
      expect(data.attributes.title).toBe("Tea");
      expect((await put(at(0).id, { ...SCHEDULE, recurrences: [] })).data.attributes.title).toBe("Lunch");
    });
  });

  describe("all occurrences", () => {
    test("move but for those that were changed on their own, and comments go with them", async () => {
      const { series, at } = await createWeekly();
      const { client, path } = stage();
      await put(at(1).id, attributesOf(at(1), { title: "Dinner" }));
      const place = { ...path, event_id: at(2).id };
      await client.call("createActivity", { path: place, body: activityBody("I do") });
      const times = { start_at: "2026-11-22T09:00:00Z", end_at: "2026-11-22T10:00:00Z" };
      const { data, meta } = await put(series.id, attributesOf(series, times));
      expect(meta).toEqual({ kept: 1 });
      expect(data.attributes.recurrences).toEqual(["RRULE:FREQ=WEEKLY;COUNT=5", "EXDATE:20261129T090000Z"]);
      expect(await shown()).toEqual([
        "11-22T09 Lunch",
        "11-28T12 Dinner",
        "12-06T09 Lunch",
        "12-13T09 Lunch",
        "12-20T09 Lunch",
      ]);
      const event_id = `${series.id}_20261206T090000Z`;
      const { data: comments } = await client.call("listActivities", { path: { ...path, event_id } });
      expect(comments.map(({ attributes }) => attributes.content)).toEqual(["I do"]);
    });

    test("are deleted", async () => {
      const { series, at } = await createWeekly();
      await put(at(1).id, attributesOf(at(1), { title: "Dinner" }));
      const since = await revision();
      await remove(series.id);
      expect(await list()).toEqual([]);
      expect((await changesSince(since)).meta.deleted).toHaveLength(5);
      expect((await refusal("GET", series.id)).status).toBe(404);
    });

    if (!isWhole) return;

    test("are changed by the id of the series, or by one of them", async () => {
      const { series, at } = await createWeekly();
      const { data, meta } = await put(series.id, attributesOf(series, { title: "Tea" }));
      expect([data.id, meta]).toEqual([series.id, { kept: 0 }]);
      expect(await shown()).toEqual(DAYS.map((day) => `${day}T12 Tea`));
      expect((await list()).map(({ id }) => id)).toContain(at(3).id);
      await put(at(3).id, attributesOf(at(3), { title: "Dinner" }), "all");
      expect(await shown()).toEqual(DAYS.map((day) => `${day}T12 Dinner`));
    });

    test("move by the clock of their zone", async () => {
      const zone = { start_timezone: "Europe/Berlin", end_timezone: "Europe/Berlin" };
      const recurrences = ["RRULE:FREQ=MONTHLY;UNTIL=20270721T215959Z"];
      const { series } = await createWeekly({ ...SCHEDULE, ...zone, recurrences });
      const times = { start_at: "2026-11-21T23:30:00+01:00", end_at: "2026-11-22T00:30:00+01:00" };
      const { data } = await put(series.id, { ...SCHEDULE, ...zone, ...times });
      expect(data.attributes.recurrences).toEqual(recurrences);
      expect((await shown()).map((text) => text.slice(0, 8))).toEqual([
        ...["11-21T22", "12-21T22", "01-21T22", "02-21T22", "03-21T22"],
        ...["04-21T21", "05-21T21", "06-21T21", "07-21T21"],
      ]);
    });

    test("of whole days move by days, with what is excepted", async () => {
      const days = (day: number) => ({
        start_at: `2026-11-${day}T00:00:00Z`,
        end_at: `2026-11-${day + 1}T00:00:00Z`,
      });
      const allDay = { ...WEEKLY, all_day: true, start_timezone: "Asia/Tokyo", end_timezone: "Asia/Tokyo" };
      const { series, at } = await createWeekly({ ...allDay, ...days(21) });
      await remove(at(1).id, "this");
      const { data } = await put(series.id, attributesOf(series, days(22)));
      expect(data.attributes.recurrences[1]).toBe("EXDATE;VALUE=DATE:20261129");
      expect(await shown()).toEqual(["11-22", "12-06", "12-13", "12-20"].map((day) => `${day}T00 Lunch`));
    });

    test("move as far as one of them does from where it was moved to on its own", async () => {
      const { at } = await createWeekly();
      const { id } = at(1);
      const at15 = { start_at: "2026-11-28T15:00:00.000Z", end_at: "2026-11-28T16:00:00.000Z" };
      const { data } = await put(id, attributesOf(at(1), at15), "this");
      const at16 = { start_at: "2026-11-28T16:00:00.000Z", end_at: "2026-11-28T17:00:00.000Z" };
      await put(id, attributesOf(data, at16), "all");
      expect(await shown()).toEqual(DAYS.map((day) => `${day}T13 Lunch`).with(1, "11-28T16 Lunch"));
    });

    test("do not come back where the series was ended at a time that a clock change skips", async () => {
      const zone = { start_timezone: "Europe/Berlin", end_timezone: "Europe/Berlin" };
      const times = { start_at: "2027-03-26T02:30:00+01:00", end_at: "2027-03-26T03:00:00+01:00" };
      const recurrences = ["RRULE:FREQ=DAILY;COUNT=4"];
      const { series, at } = await createWeekly({ ...SCHEDULE, ...zone, ...times, recurrences });
      await remove(at(2).id, "following");
      const earlier = { start_at: "2027-03-26T00:30:00+01:00", end_at: "2027-03-26T01:00:00+01:00" };
      await put(series.id, { ...SCHEDULE, ...zone, ...earlier });
      expect(await shown()).toEqual(["03-25T23 Lunch", "03-26T23 Lunch"]);
    });

    test("get a shorter rule, and comments of those that are gone go, too", async () => {
      const { series, at } = await createWeekly();
      const { client, path } = stage();
      for (const index of [1, 2]) {
        const body = activityBody(`Comment ${index}`);
        await client.call("createActivity", { path: { ...path, event_id: at(index).id }, body });
      }
      await put(series.id, { ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY;COUNT=2"] }, "all");
      expect(await shown()).toEqual(lunches(DAYS.slice(0, 2)));
      const { data } = await client.call("listActivities", { path: { ...path, event_id: at(1).id } });
      expect(data.map(({ attributes }) => attributes.content)).toEqual(["Comment 1"]);
    });

    test("move by whole weeks on the weekdays of their rule", async () => {
      const { series } = await createWeekly({
        ...SCHEDULE,
        recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=SA,SU;COUNT=3"],
      });
      const times = { start_at: "2026-11-28T12:00:00Z", end_at: "2026-11-28T13:00:00Z" };
      await put(series.id, { ...SCHEDULE, ...times }, "all");
      expect(await shown()).toEqual(lunches(["11-28", "11-29", "12-05"]));
    });

    test("do not leave the days that their rule names", async () => {
      const { series } = await createWeekly({
        ...SCHEDULE,
        recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=SA;COUNT=2"],
      });
      const times = { start_at: "2026-11-22T12:00:00Z", end_at: "2026-11-22T13:00:00Z" };
      expect(await refusal("PUT", series.id, eventBody({ ...SCHEDULE, ...times }))).toEqual({
        status: 400,
        errors: {
          recurrences: [
            "the rule has BYDAY=SA, which does not move with the start; send the new rule as well",
          ],
        },
      });
      await put(series.id, { ...SCHEDULE, ...times, recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=2"] });
      expect(await shown()).toEqual(lunches(["11-22", "11-29"]));
    });
  });

  describe("an occurrence and the following", () => {
    test("become a series of their own", async () => {
      const { series, at } = await createWeekly();
      await put(at(3).id, attributesOf(at(3), { title: "Dinner" }));
      const times = { start_at: "2026-12-06T12:00:00Z", end_at: "2026-12-06T14:00:00Z" };
      const { data, meta } = await put(
        at(2).id,
        attributesOf(at(2), { ...times, title: "Tea" }),
        "following",
      );
      expect(meta).toEqual({ kept: 1 });
      expect(data.id).not.toBe(series.id);
      expect(data.attributes).toMatchObject({
        recurring_uuid: data.id,
        recurrences: ["RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE:20261213T120000Z"],
      });
      expect((await get(series.id)).attributes.recurrences).toEqual([
        "RRULE:FREQ=WEEKLY;UNTIL=20261205T115959Z",
      ]);
      expect(await shown()).toEqual([
        "11-21T12 Lunch",
        "11-28T12 Lunch",
        "12-06T12 Tea",
        "12-12T12 Dinner",
        "12-20T12 Tea",
      ]);
      expect((await list())[3]?.attributes.recurring_uuid).toBe(data.id);
    });

    if (!isWhole) return;

    test("are deleted of a series that ends on a date", async () => {
      const { series, at } = await createWeekly({
        ...SCHEDULE,
        recurrences: ["RRULE:FREQ=WEEKLY;UNTIL=20261219T120000Z"],
      });
      await remove(at(2).id, "following");
      expect((await get(series.id)).attributes.recurrences).toEqual([
        "RRULE:FREQ=WEEKLY;UNTIL=20261205T115959Z",
      ]);
      expect(await shown()).toEqual(lunches(DAYS.slice(0, 2)));
    });

    test("are deleted, also what was changed on its own", async () => {
      const { series, at } = await createWeekly();
      await put(at(4).id, attributesOf(at(4), { title: "Dinner" }));
      await remove(at(2).id, "following");
      expect(await shown()).toEqual(lunches(DAYS.slice(0, 2)));
      await remove(at(0).id, "following");
      expect((await refusal("GET", series.id)).status).toBe(404);
    });
  });

  if (!isWhole) return;

  test("a single event becomes a series, and its comments stay", async () => {
    const { create, client, path } = stage();
    const { id } = await create();
    await client.call("createActivity", { path: { ...path, event_id: id }, body: activityBody("I do") });
    const { data } = await put(id, WEEKLY);
    expect([data.id, data.attributes.recurring_uuid]).toEqual([id, id]);
    expect(await shown()).toEqual(lunches(DAYS));
    const comments = await client.call("listActivities", { path: { ...path, event_id: id } });
    expect(comments.data).toHaveLength(1);
  });

  test("a scope that nothing has is 400", async () => {
    const { series } = await createWeekly();
    const { id } = await stage().create();
    const single = { status: 400, errors: { scope: ["is only for an event that repeats"] } };
    expect(await refusal("DELETE", `${id}?scope=this`)).toEqual(single);
    expect(await refusal("PUT", `${id}?scope=all`, eventBody(SCHEDULE))).toEqual(single);
    expect(await refusal("DELETE", `${series.id}?scope=this`)).toEqual({
      status: 400,
      errors: { scope: ["cannot be this for a series; name the occurrence"] },
    });
    expect(await refusal("DELETE", `${series.id}?scope=some`)).toEqual({
      status: 400,
      errors: { scope: ["must be one of this, following, all"] },
    });
  });
}
