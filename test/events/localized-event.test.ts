import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { localizeEvent } from "../../src/events/localized-event.js";
import { allDayOf, anyDate, anyInstant, anyZone, eventOf, keepOf } from "./fixtures.js";

describe("localizeEvent", () => {
  test.each([
    ["Asia/Tokyo", "2026-11-21T15:00:00+09:00"],
    ["UTC", "2026-11-21T06:00:00+00:00"],
    ["America/St_Johns", "2026-11-21T02:30:00-03:30"],
    ["Asia/Kathmandu", "2026-11-21T11:45:00+05:45"],
  ])("shows times in %s", (zone, local) => {
    expect(localizeEvent(eventOf(), zone).start_local).toBe(local);
  });

  test("has the keys of the output in order and changes nothing else", () => {
    const event = eventOf();
    const {
      start_local: _start,
      end_local: _end,
      calendar_name: name,
      ...rest
    } = localizeEvent(event, "Asia/Tokyo", "Family");
    expect(name).toBe("Family");
    expect(rest).toEqual(event);
    expect(Object.keys(localizeEvent(event, "Asia/Tokyo"))).toEqual(
      (
        "id calendar_id calendar_name category title all_day start_at start_timezone end_at end_timezone start_local end_local " +
        "recurrences description location url created_at updated_at creator label attendees series_id"
      ).split(" "),
    );
  });

  test.each([
    ["several days", "2026-11-23T00:00:00.000Z", "2026-11-22"],
    ["one day", "2026-11-22T00:00:00.000Z", "2026-11-21"],
    ["one day, as some services end it", "2026-11-21T00:00:00.000Z", "2026-11-21"],
    ["the date as written", "2026-11-22T00:00:00+09:00", "2026-11-21"],
    ["a missing end", null, null],
  ])("shows the last day of an all-day event: %s", (_, end, last) => {
    expect(localizeEvent(allDayOf({ end_at: end }), "America/New_York")).toMatchObject({
      start_local: "2026-11-21",
      end_local: last,
    });
  });

  test.each([
    ["its start, as some services have it", "2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z"],
    ["the next midnight", "2026-11-22T00:00:00.000Z", "2026-11-22T00:00:00.000Z"],
    ["nothing", null, null],
  ])("an all-day event that ends at %s has the midnight after its last day as its end", (_, end, shown) => {
    expect(localizeEvent(allDayOf({ end_at: end }), "America/New_York").end_at).toBe(shown);
  });

  test("a timed event without a length stays one", () => {
    const event = eventOf({ end_at: eventOf().start_at });
    expect(localizeEvent(event, "UTC").end_at).toBe(event.start_at);
  });

  test.each([
    ["a keep without times", keepOf()],
    ["times that cannot be read", eventOf({ start_at: "soon", end_at: "" })],
    ["days that cannot be read", allDayOf({ start_at: "2026-02-30T00:00:00Z" })],
  ])("shows nothing for %s", (_, event) => {
    expect(localizeEvent(event, "Asia/Tokyo")).toMatchObject({ start_local: null, end_local: null });
  });

  test("a local time is the same instant, without fractions", () => {
    fc.assert(
      fc.property(anyInstant, anyZone, (instant, zone) => {
        const { start_local: local } = localizeEvent(
          eventOf({ start_at: new Date(instant).toISOString() }),
          zone,
        );
        expect(local).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        expect(Date.parse(local ?? "")).toBe(Math.floor(instant / 1000) * 1000);
      }),
    );
  });

  test("an all-day event is the same in every zone", () => {
    fc.assert(
      fc.property(anyDate, anyZone, (date, zone) => {
        const day = allDayOf({ start_at: `${date}T00:00:00.000Z`, end_at: `${date}T00:00:00.000Z` });
        expect(localizeEvent(day, zone)).toMatchObject({ start_local: date, end_local: date });
      }),
    );
  });
});
