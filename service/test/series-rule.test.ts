import fc from "fast-check";
import { expect, test } from "vitest";
import { openSlots, type SeriesTimes, slotsBetween } from "../series-rule.js";

const DAY = 86_400_000;
const START = Date.parse("2026-11-21T10:00:00Z");

const DAILY: SeriesTimes = {
  all_day: 0,
  start_clock: START + 3_600_000,
  start_timezone: "Europe/Berlin",
  recurrences: `RRULE:FREQ=DAILY
RDATE:20261122T120000Z,20261125T173000Z,20270102T090000Z
EXDATE:20261123T100000Z,20261124T100000Z,20261201T100000Z`,
};

const ALL_DAY: SeriesTimes = {
  all_day: 1,
  start_clock: Date.parse("2026-11-21T00:00:00Z"),
  start_timezone: "UTC",
  recurrences: `RRULE:FREQ=WEEKLY;COUNT=4
RDATE;VALUE=DATE:20261122,20261220
EXDATE;VALUE=DATE:20261128`,
};

test.each([
  ["timed", DAILY],
  ["all-day", ALL_DAY],
])("the slots of a %s series between two times are those of all of its dates", (_, series) => {
  // Half hours, so that it is often a date itself.
  const time = fc.integer({ min: -24, max: 24 * 50 }).map((hours) => START + (hours * DAY) / 48);
  fc.assert(
    fc.property(time, time, (from, to) => {
      expect([...slotsBetween(series, from, to)]).toEqual([...openSlots(series).between(from, to)]);
    }),
  );
});

test("the slots of all times are those of a series that ends", () => {
  const all = slotsBetween(ALL_DAY, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  expect([...all].map((slot) => new Date(slot).toISOString().slice(0, 10))).toEqual([
    "2026-11-21",
    "2026-11-22",
    "2026-12-05",
    "2026-12-12",
    "2026-12-20",
  ]);
});
