import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENT_RULES } from "../../contract/bodies.js";
import { newTimes } from "../../src/events/draft.js";
import type { TypedPatch } from "../../src/events/patch.js";
import { numberOfRuns } from "../support/shared.js";
import { anyDate, anyInstant, anyZone, failureOf, parsed, type TypedTimes } from "./fixtures.js";

type TypedPlan = Parameters<typeof newTimes>[1] & Pick<TypedPatch, "allDay"> & TypedTimes;

function plan(fields: Partial<TypedPlan>) {
  const { category = "schedule", zone = "Asia/Tokyo", length, ...flags } = fields;
  return newTimes([parsed(flags, zone)], { category, zone, ...(length && { length }) });
}

const NO_TIMES = {
  all_day: undefined,
  start_at: undefined,
  start_timezone: undefined,
  end_at: undefined,
  end_timezone: undefined,
};

describe("newTimes", () => {
  test.each<[string, Partial<TypedPlan>, string, string]>([
    ["start and end", { start: "2026-11-21T15:00", end: "2026-11-21T16:30" }, "06:00", "07:30"],
    ["start and duration", { start: "2026-11-21T15:00", duration: "1h30m" }, "06:00", "07:30"],
    ["offsets", { start: "2026-11-21T15:00+01:00", end: "2026-11-21T16:00Z" }, "14:00", "16:00"],
  ])("plans a schedule from %s", (_, fields, start, end) => {
    expect(plan(fields)).toEqual({
      all_day: false,
      start_at: `2026-11-21T${start}:00.000Z`,
      start_timezone: "Asia/Tokyo",
      end_at: `2026-11-21T${end}:00.000Z`,
      end_timezone: "Asia/Tokyo",
    });
  });

  test("keeps the zone in which each time was read", () => {
    const flight = {
      start: "2026-11-21T10:00",
      startTimezone: "Europe/Berlin",
      end: "2026-11-21T13:00",
      endTimezone: "America/New_York",
    };
    expect(plan(flight)).toEqual({
      all_day: false,
      start_at: "2026-11-21T09:00:00.000Z",
      start_timezone: "Europe/Berlin",
      end_at: "2026-11-21T18:00:00.000Z",
      end_timezone: "America/New_York",
    });
  });

  const AN_HOUR = { text: "1h", days: 0, minutes: 60 };

  test.each([{ duration: "1h" }, { length: AN_HOUR }])(
    "an end by a length is in the zone of the start: %j",
    (length) => {
      const times = plan({ start: "2026-11-21T10:00", startTimezone: "Europe/Berlin", ...length });
      expect(times).toMatchObject({ start_timezone: "Europe/Berlin", end_timezone: "Europe/Berlin" });
    },
  );

  test("across a clock change, days follow the calendar and hours the clock", () => {
    const start = { start: "2026-10-31T12:00", zone: "America/New_York" };
    expect(plan({ ...start, duration: "1d" }).end_at).toBe("2026-11-01T17:00:00.000Z");
    expect(plan({ ...start, duration: "24h" }).end_at).toBe("2026-11-01T16:00:00.000Z");
  });

  test.each<[string, Partial<TypedPlan>, string]>([
    ["one day without an end", {}, "2026-11-22"],
    ["the last day, named", { end: "2026-11-22" }, "2026-11-23"],
    ["the same day, named", { end: "2026-11-21" }, "2026-11-22"],
    ["midnight of the first day", { start: "2026-11-21T00:00" }, "2026-11-22"],
    ["midnight with any offset", { start: "2026-11-21 00:00:00-05:00" }, "2026-11-22"],
    ["two days by duration", { duration: "2d" }, "2026-11-23"],
    ["a week by duration", { duration: "1w" }, "2026-11-28"],
  ])("all-day: %s", (_, fields, end) => {
    expect(plan({ allDay: true, start: "2026-11-21", ...fields })).toEqual({
      all_day: true,
      start_at: "2026-11-21T00:00:00.000Z",
      start_timezone: "UTC",
      end_at: `${end}T00:00:00.000Z`,
      end_timezone: "UTC",
    });
  });

  test("a keep may have no times", () => {
    expect(plan({ category: "keep" })).toEqual(NO_TIMES);
    expect(plan({ category: "keep", allDay: false })).toEqual(NO_TIMES);
  });

  test("a keep may have times like a schedule", () => {
    const times = { start: "2026-11-21T15:00", duration: "1h" };
    expect(plan({ category: "keep", ...times })).toEqual(plan(times));
  });

  test.each<[string, Partial<TypedPlan>, string]>([
    ["a schedule without times", {}, "missing --start and --end (or --duration)"],
    ["a schedule without an end", { start: "2026-11-21T15:00" }, "missing --end or --duration"],
    [
      "a keep with only a start",
      { category: "keep", start: "2026-11-21T15:00" },
      "missing --end or --duration",
    ],
    ["an end without a start", { category: "keep", end: "2026-11-21T15:00" }, "missing --start"],
    ["a zone without a start", { category: "keep", startTimezone: "Asia/Tokyo" }, "missing --start"],
    ["--all-day without a start", { category: "keep", allDay: true }, "missing --start"],
    [
      "--duration beside --end",
      { start: "2026-11-21T15:00", end: "2026-11-21T16:00", duration: "1h" },
      "--end and --duration are both given",
    ],
    ["a date without --all-day", { start: "2026-11-21", duration: "1h" }, '--start: "2026-11-21" is a date'],
    ["a clock time for all-day", { allDay: true, start: "2026-11-21T15:00" }, "has a clock time"],
    ["a second after midnight", { allDay: true, start: "2026-11-21T00:00:01" }, "has a clock time"],
    [
      "midnight as the last day, which may be the day before",
      { allDay: true, start: "2026-11-21", end: "2026-11-22T00:00" },
      "has a clock time",
    ],
    [
      "a zone of the start for all-day",
      { allDay: true, start: "2026-11-21", startTimezone: "Asia/Tokyo" },
      "--start-timezone",
    ],
    [
      "a zone of the end for all-day",
      { allDay: true, start: "2026-11-21", endTimezone: "UTC" },
      "--end-timezone",
    ],
    ["hours for all-day", { allDay: true, start: "2026-11-21", duration: "90m" }, '--duration: "90m"'],
    [
      "an end at the start",
      { start: "2026-11-21T15:00", end: "2026-11-21T15:00" },
      "the end 2026-11-21T15:00:00+09:00 is not after the start 2026-11-21T15:00:00+09:00",
    ],
    [
      "an end before the start of another zone",
      {
        ...{ start: "2026-12-01T09:00-08:00", startTimezone: "America/Los_Angeles" },
        ...{ end: "2026-12-01T10:00+01:00", endTimezone: "Europe/Berlin" },
      },
      "the end 2026-12-01T10:00:00+01:00 is not after the start 2026-12-01T09:00:00-08:00",
    ],
    [
      "a last day before the first",
      { allDay: true, start: "2026-11-21", end: "2026-11-20" },
      "the last day 2026-11-20 is before the first day 2026-11-21",
    ],
    [
      "an unknown zone",
      { start: "2026-11-21T15:00", duration: "1h", startTimezone: "Tokio" },
      "--start-timezone",
    ],
    ["a year that is too long", { allDay: true, start: "9999-12-31" }, "after the year 9999"],
    [
      "a duration beyond the years",
      { start: "9000-11-21T15:00", duration: "99999w" },
      "the event ends after the year 9999",
    ],
    [
      "a start before the calendar",
      { start: "0000-01-01T00:00", duration: "1h" },
      "begins before the year 0000",
    ],
  ])("refuses %s", (_, fields, message) => {
    const failure = failureOf(() => plan(fields));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain(message);
  });

  test.each([
    ["01:00", "for an end on the next day, write --end 2027-01-01T01:00"],
    ["23:00", "use an --end after --start, or --duration"],
  ])("suggests the next day for an end that is earlier by the clock: %s", (clock, hint) => {
    const failure = failureOf(() => plan({ start: "2026-12-31T23:00", end: `2026-12-31T${clock}` }));
    expect(failure.hint).toBe(hint);
  });

  test("suggests --all-day for a date without a time", () => {
    expect(failureOf(() => plan({ start: "2026-11-21" })).hint).toContain("--all-day");
  });

  test("every result is valid in the contract", () => {
    const moment = fc.oneof(
      anyDate,
      anyInstant.map((instant) => new Date(instant).toISOString()),
      anyInstant.map((instant) => new Date(instant).toISOString().slice(0, 16)),
    );
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const anyPlan = fc.record({
      category: fc.constantFrom("schedule", "keep"),
      allDay: optional(fc.boolean()),
      start: optional(moment),
      end: optional(moment),
      duration: optional(fc.constantFrom("90m", "2d", "1w")),
      startTimezone: optional(anyZone),
      endTimezone: optional(anyZone),
      zone: anyZone,
    });
    fc.assert(
      fc.property(anyPlan, (fields) => {
        const times = planned(fields);
        if (times === null) return;
        const attributes = { title: "Review", category: fields.category, ...times };
        expect(EVENT_RULES.filter(({ broken }) => broken(attributes))).toEqual([]);
      }),
      { numRuns: numberOfRuns(200) },
    );
  });

  test("an all-day event is the same whatever the zone", () => {
    fc.assert(
      fc.property(anyDate, anyZone, anyZone, (start, zone, other) => {
        const fields = { category: "schedule", allDay: true, start };
        expect(plan({ ...fields, zone })).toEqual(plan({ ...fields, zone: other }));
      }),
    );
  });
});

/** The times; null if the flags are a usage error. */
function planned(fields: TypedPlan) {
  try {
    return plan(fields);
  } catch (error) {
    expect(error).toMatchObject({ name: "CliError", code: "usage" });
    return null;
  }
}
