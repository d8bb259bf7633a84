import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LocalTimes, listByDay } from "../../src/events/day-list.js";
import { addDays } from "../../src/time/zoned-time.js";
import { words } from "../support/words.js";

const RANGE = { first: "2026-11-21", last: "2026-11-23" };

const timed = (start_local: string, end_local: string | null): LocalTimes => ({
  all_day: false,
  start_local: `${start_local}:00+01:00`,
  end_local: end_local === null ? null : `${end_local}:00+01:00`,
});
const allDay = (start_local: string, end_local: string | null): LocalTimes => ({
  all_day: true,
  start_local,
  end_local,
});

/** The days and parts under which one event is listed. */
const listed = (event: LocalTimes) =>
  listByDay([event], RANGE).flatMap(({ date, entries }) =>
    entries.map(({ part, day, days }) => `${date} ${part} ${day}/${days}`),
  );

describe("an event is listed", () => {
  test.each([
    ["on its day", timed("2026-11-22T09:00", "2026-11-22T10:00"), ["2026-11-22 whole 1/1"]],
    ["without an end", timed("2026-11-22T09:00", null), ["2026-11-22 whole 1/1"]],
    ["until midnight on one day", timed("2026-11-22T20:00", "2026-11-23T00:00"), ["2026-11-22 whole 1/1"]],
    ["at midnight without a length", timed("2026-11-22T00:00", "2026-11-22T00:00"), ["2026-11-22 whole 1/1"]],
    [
      "over midnight on both days",
      timed("2026-11-22T22:00", "2026-11-23T02:00"),
      ["2026-11-22 first 1/2", "2026-11-23 last 2/2"],
    ],
    [
      "on each of its whole days",
      allDay("2026-11-21", "2026-11-23"),
      ["2026-11-21 first 1/3", "2026-11-22 middle 2/3", "2026-11-23 last 3/3"],
    ],
    [
      "only on days within the range",
      allDay("2026-11-19", "2026-11-30"),
      ["2026-11-21 middle 3/12", "2026-11-22 middle 4/12", "2026-11-23 middle 5/12"],
    ],
    [
      "under today, however long ago it began",
      allDay("1996-01-01", "2099-12-31"),
      ["2026-11-21 middle 11283/37986", "2026-11-22 middle 11284/37986", "2026-11-23 middle 11285/37986"],
    ],
    [
      "on its first day if none is within the range",
      allDay("2026-12-24", "2026-12-25"),
      ["2026-12-24 first 1/2"],
    ],
    [
      "on one day if it ends before it starts",
      timed("2026-11-22T09:00", "2026-11-20T10:00"),
      ["2026-11-22 whole 1/1"],
    ],
    ["last without times", { all_day: null, start_local: null, end_local: null }, ["null whole 1/1"]],
  ])("%s", (_, event, expected) => {
    expect(listed(event)).toEqual(expected);
  });
});

test("a day begins with what lasts all day, and goes on by time", () => {
  const events = {
    lunch: timed("2026-11-22T12:00", "2026-11-22T13:00"),
    night: timed("2026-11-21T22:00", "2026-11-22T02:00"),
    conference: timed("2026-11-21T09:00", "2026-11-23T18:00"),
    early: timed("2026-11-22T01:00", "2026-11-22T01:30"),
    holiday: allDay("2026-11-22", "2026-11-22"),
  };
  const [, sunday] = listByDay(Object.values(events), RANGE);
  const nameOf = (event: LocalTimes) => Object.entries(events).find(([, value]) => value === event)?.[0];
  expect(sunday?.entries.map(({ event }) => nameOf(event))).toEqual(words`conference holiday night
    early lunch`);
});

test("an event of any length is on each day of the range that it touches, once", () => {
  const day = fc.integer({ min: -20, max: 20 }).map((offset) => addDays("2026-11-22", offset));
  fc.assert(
    fc.property(day, fc.nat(30), (first, length) => {
      const last = addDays(first, length);
      const touched = ["2026-11-21", "2026-11-22", "2026-11-23"].filter(
        (date) => date >= first && date <= last,
      );
      const dates = listByDay([allDay(first, last)], RANGE).map(({ date }) => date);
      expect(dates).toEqual(touched.length === 0 ? [first] : touched);
    }),
  );
});
