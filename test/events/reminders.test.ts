import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY_MS, dateToInstant, HOUR_MS, MINUTE_MS } from "../../contract/date-time.js";
import type { Event } from "../../contract/shapes.js";
import {
  checkWindow,
  findReminders,
  type ReminderWindow,
  reminderQueries,
} from "../../src/events/reminders.js";
import { addDays, localDate, offsetAt } from "../../src/time/zoned-time.js";
import { numberOfRuns } from "../support/shared.js";
import { words } from "../support/words.js";
import { eventOf } from "./fixtures.js";

const [MAX_BEFORE, MAX_GRACE] = [5 * DAY_MS, 12 * HOUR_MS];
const NOON = Date.parse("2026-11-23T12:00:00Z");

function windowOf(changes: Partial<ReminderWindow> = {}): ReminderWindow {
  return { now: NOON, before: 15 * MINUTE_MS, grace: HOUR_MS, allDayAt: null, zone: "UTC", ...changes };
}

const timed = (start_at: string) => eventOf({ id: start_at, start_at, end_at: "2030-01-01T00:00:00.000Z" });
const allDay = (date: string) =>
  eventOf({
    id: date,
    all_day: true,
    start_at: `${date}T00:00:00.000Z`,
    end_at: `${addDays(date, 1)}T00:00:00.000Z`,
  });
const idsOf = (events: readonly Event[], changes: Partial<ReminderWindow> = {}) =>
  findReminders(events, windowOf(changes)).map(({ event }) => event.id);

describe("what is announced", () => {
  test("starts up to --before from now, and up to --grace ago, the earliest first", () => {
    const starts = ["12:15:00", "12:15:01", "12:00:00", "11:00:01", "11:00:00"].map(
      (time) => `2026-11-23T${time}.000Z`,
    );
    expect(idsOf(starts.map(timed))).toEqual([
      "2026-11-23T11:00:01.000Z",
      "2026-11-23T12:00:00.000Z",
      "2026-11-23T12:15:00.000Z",
    ]);
  });

  test("no keep without times", () => {
    expect(idsOf([eventOf({ category: "keep", start_at: null, end_at: null })])).toEqual([]);
  });

  test("all-day events only at their time of day, in the zone", () => {
    const events = [allDay("2026-11-23"), allDay("2026-11-24")];
    expect(idsOf(events)).toEqual([]);
    const at = { allDayAt: 8 * HOUR_MS, zone: "Asia/Tokyo" };
    expect(idsOf(events, { ...at, now: Date.parse("2026-11-22T22:50:00Z") })).toEqual(["2026-11-23"]);
    expect(idsOf(events, { ...at, now: Date.parse("2026-11-22T22:30:00Z") })).toEqual([]);
    expect(idsOf(events, { ...at, now: Date.parse("2026-11-23T23:30:00Z") })).toEqual(["2026-11-24"]);
  });

  test.each([
    ["skipped", "2026-03-29", "2026-03-29T01:30:00Z"],
    ["doubled", "2026-10-25", "2026-10-25T00:30:00Z"],
  ])("an all-day event once where the clock has its time of day %s", (_, date, instant) => {
    const at = { allDayAt: 2.5 * HOUR_MS, zone: "Europe/Berlin", before: 0, grace: 1 };
    expect(idsOf([allDay(date)], { ...at, now: Date.parse(instant) })).toEqual([date]);
    expect(idsOf([allDay(date)], { ...at, now: Date.parse(instant) + HOUR_MS })).toEqual([]);
    expect(idsOf([allDay(date)], { ...at, now: Date.parse(instant) - HOUR_MS })).toEqual([]);
  });
});

const ZONES = words`UTC Asia/Tokyo America/New_York Pacific/Kiritimati Pacific/Chatham Asia/Kathmandu`;

/** A window that passes `checkWindow`. */
const windows = fc
  .record({
    now: fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2027-12-31") }),
    before: fc.integer({ min: 1, max: MAX_BEFORE }),
    grace: fc.integer({ min: 0, max: MAX_GRACE }),
    allDayAt: fc.option(fc.integer({ min: 0, max: DAY_MS - 1 })),
    zone: fc.constantFrom(...ZONES),
  })
  .map((window) => ({
    ...window,
    grace: Math.min(window.grace, window.allDayAt === null ? MAX_GRACE : 7 * HOUR_MS),
  }));

/** What `upcoming_events` lists for a query: instants from, until, and the first and the last date. */
function listedBy({ timezone, days }: { timezone: string; days: number }, now: number) {
  const today = localDate(now, timezone);
  const from = dateToInstant(today) - offsetAt(now, timezone);
  return { from, until: from + days * DAY_MS, first: today, last: addDays(today, days - 1) };
}

describe("what is asked for", () => {
  test("holds every start of the window, within the days that a service lists", () => {
    fc.assert(
      fc.property(windows, fc.double({ min: 0, max: 1, noNaN: true }), (window, place) => {
        const { now, before, grace, allDayAt, zone } = window;
        checkWindow(window);
        const queries = reminderQueries(window);
        const listed = queries.map((query) => listedBy(query, now));
        expect(queries.every(({ days }) => days >= 1 && days <= 7)).toBe(true);
        const start = now - grace + Math.ceil(place * (grace + before));
        expect(listed.some(({ from, until }) => from <= start && start < until)).toBe(true);
        if (allDayAt === null) return;
        const date = localDate(start, zone);
        expect(listed.some(({ first, last }) => first <= date && date <= last)).toBe(true);
      }),
      { numRuns: numberOfRuns(200) },
    );
  });

  test("is one list of one day for an ordinary job at noon", () => {
    expect(reminderQueries(windowOf())).toEqual([{ timezone: expect.any(String), days: 1 }]);
  });
});

test.each([
  [{ before: MAX_BEFORE + 1 }, "--before is longer than 5 days"],
  [{ grace: MAX_GRACE + 1 }, "--grace can be at most 12h"],
  [
    { grace: 8 * HOUR_MS, allDayAt: 0, zone: "America/New_York" },
    "--grace can be at most 7h with --all-day-at in America/New_York",
  ],
  [
    { grace: 10 * HOUR_MS, allDayAt: 0, zone: "America/St_Johns" },
    "--grace can be at most 8h 30m with --all-day-at in America/St_Johns",
  ],
])("%j is refused: %s", (changes, message) => {
  expect(() => checkWindow(windowOf(changes))).toThrow(message);
});
