import { describe, expect, test } from "vitest";
import type { EventResource } from "../../../contract/resources.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

/** Saturdays at 12:00 UTC from today on, of which the days of a week show one. */
const WEEKLY = { ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY;COUNT=4"] };

/** The starts of events, to the minute. */
function startsOf(events: readonly EventResource[]): string[] {
  return events.map(({ attributes }) => attributes.start_at?.slice(0, 16) ?? "");
}

export function describeSeries(stage: () => Stage, isWhole: boolean): void {
  const list = async (query: Readonly<Record<string, string>> = {}) => {
    const { client, path } = stage();
    return (await client.call("listEvents", { path, query })).data;
  };
  const errorsOf = async (attributes: object) => {
    const { client, calendar } = stage();
    const { status, errors } = await client.request("POST", `${calendar}/events`, {
      body: eventBody(attributes),
    });
    expect(status).toBe(400);
    return errors;
  };

  describe("a series", () => {
    test("is created with its occurrences, each with an id of its own", async () => {
      const { create, client, path } = stage();
      const series = await create(WEEKLY);
      expect(series.attributes).toMatchObject({
        recurring_uuid: series.id,
        recurrences: ["RRULE:FREQ=WEEKLY;COUNT=4"],
        start_at: "2026-11-21T12:00:00.000Z",
      });
      const events = await list();
      expect(events.map(({ id }) => id)).toEqual(
        ["1121", "1128", "1205", "1212"].map((day) => `${series.id}_2026${day}T120000Z`),
      );
      expect(new Set(events.map(({ attributes }) => attributes.recurring_uuid))).toEqual(
        new Set([series.id]),
      );
      const { data } = await client.call("getEvent", { path: { ...path, event_id: series.id } });
      expect(data).toEqual(series);
      const [first] = events;
      const one = await client.call("getEvent", { path: { ...path, event_id: first?.id ?? "" } });
      expect(one.data).toEqual(first);
    });

    test("a comment on the series belongs to its first occurrence, and all are listed by it", async () => {
      const { create, client, path } = stage();
      const series = await create(WEEKLY);
      const [first, second] = await list();
      const idOf = (event: { readonly id: string } | undefined) => event?.id ?? "";
      const comment = (event_id: string, text: string) =>
        client.call("createActivity", { path: { ...path, event_id }, body: activityBody(text) });
      await comment(series.id, "I do");
      await comment(idOf(second), "I do not");
      for (const [event_id, texts] of [
        [series.id, ["I do", "I do not"]],
        [idOf(first), ["I do"]],
        [idOf(second), ["I do not"]],
      ] as const) {
        const { data } = await client.call("listActivities", { path: { ...path, event_id } });
        expect(data.map(({ attributes }) => attributes.content).sort()).toEqual(texts);
      }
    });

    if (!isWhole) return;

    test("leaves out its exceptions, which only the series names", async () => {
      const lines = ["RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE:20261128T120000Z", "RDATE:20261122T120000Z"];
      const series = await stage().create({ ...SCHEDULE, recurrences: lines });
      expect(series.attributes.recurrences).toEqual([lines[0], lines[2], lines[1]]);
      const events = await list();
      expect(startsOf(events)).toEqual(["2026-11-21T12:00", "2026-11-22T12:00", "2026-12-05T12:00"]);
      expect(events[0]?.attributes.recurrences).toEqual([lines[0], lines[2]]);
    });

    test("of whole days has dates", async () => {
      const series = await stage().create({
        ...SCHEDULE,
        all_day: true,
        start_at: "2027-01-31T00:00:00+09:00",
        end_at: "2027-02-01T00:00:00+09:00",
        start_timezone: "Asia/Tokyo",
        end_timezone: "Asia/Tokyo",
        recurrences: ["RRULE:FREQ=MONTHLY;UNTIL=20270531"],
      });
      const events = await list();
      expect(startsOf(events).map((start) => start.slice(0, 10))).toEqual([
        "2027-01-31",
        "2027-03-31",
        "2027-05-31",
      ]);
      expect(events[1]?.id).toBe(`${series.id}_20270331`);
    });

    test("with a rule that is not supported, or has no dates, is refused", async () => {
      for (const [recurrences, problem] of [
        [["RRULE:FREQ=HOURLY"], /FREQ=HOURLY is not supported; write DAILY, WEEKLY, MONTHLY or YEARLY/],
        [["EXDATE:20261121T120000Z"], /no RRULE/],
        [["RRULE:FREQ=DAILY", "EXDATE:20261122T130000Z"], /is not a date of the rule/],
        [["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"], /gives no date/],
      ] as const) {
        expect(await errorsOf({ ...SCHEDULE, recurrences }), recurrences.join()).toEqual({
          recurrences: [expect.stringMatching(problem)],
        });
      }
      expect(await list()).toEqual([]);
    });

    test("needs times, at full seconds", async () => {
      const recurrences = ["RRULE:FREQ=DAILY"];
      expect(await errorsOf({ ...KEEP, recurrences })).toEqual({
        recurrences: ["only an event with start_at and end_at can repeat"],
      });
      expect(await errorsOf({ ...SCHEDULE, start_at: "2026-11-21T12:00:00.500Z", recurrences })).toEqual({
        start_at: ["must be at a full second for an event that repeats"],
      });
      expect(await errorsOf({ ...SCHEDULE, recurrences: "RRULE:FREQ=DAILY" })).toEqual({
        recurrences: ["must be a list of RFC 5545 lines"],
      });
    });
  });
}
