import { describe, expect, test } from "vitest";
import type { Event } from "../../../contract/shapes.js";
import {
  compareEvents,
  readLookup,
  type SeenCalendar,
  type SeenDays,
} from "../../../src/events/changes/compare.js";
import { allDayOf, eventOf, userOf } from "../fixtures.js";

/** When the last run looked, from 2026-11-20 on. */
const SINCE = Date.parse("2026-11-20T12:00:00.000Z");
const BEFORE = "2026-11-20T11:59:59.999Z";
const AFTER = "2026-11-20T12:00:00.000Z";
const DAYS: SeenDays = { first: "2026-11-20", last: "2026-11-26", zone: "UTC" };
const NEXT_DAY: SeenDays = { first: "2026-11-21", last: "2026-11-27", zone: "UTC" };

const seenOf = (...events: Event[]): SeenCalendar => ({ since: SINCE, days: DAYS, events });

/** An hour from ten o'clock of a day of November. */
function eventOn(day: number, fields: Partial<Event> = {}): Event {
  const date = `2026-11-${day}`;
  const written = { created_at: BEFORE, updated_at: BEFORE };
  const times = { start_at: `${date}T10:00:00.000Z`, end_at: `${date}T11:00:00.000Z` };
  return eventOf({ id: `e${day}`, ...written, ...times, ...fields });
}

function compare(before: SeenCalendar, events: readonly Event[], days = NEXT_DAY) {
  const { changes, missing, seen } = compareEvents(before, { days, events, matching: new Set(events) });
  const idOf = ({ id }: Event) => id;
  return {
    changes: changes.map(({ change, event }) => `${change} ${event.id}`),
    missing: missing.map(idOf),
    seen: seen.map(idOf).sort(),
  };
}

describe("an event that was not seen before", () => {
  const written = (time: string | null) => ({ created_at: time, updated_at: time });
  test.each([
    ["on days that were seen, written since", eventOn(24, written(AFTER)), ["added e24"]],
    ["on days that were seen, listed late", eventOn(24, written(BEFORE)), ["changed e24"]],
    ["on days that were seen, of a service without timestamps", eventOn(24, written(null)), ["added e24"]],
    ["that comes into view", eventOn(27, written(BEFORE)), []],
    ["that comes into view, written in the same instant", eventOn(27, written(AFTER)), ["added e27"]],
    ["that comes into view, without timestamps", eventOn(27, written(null)), []],
    [
      "that comes into view, with a new time",
      eventOn(27, { created_at: BEFORE, updated_at: AFTER }),
      ["changed e27"],
    ],
    [
      "on days that were seen, moved there",
      eventOn(24, { created_at: BEFORE, updated_at: AFTER }),
      ["changed e24"],
    ],
  ])("%s", (_, event, changes) => {
    expect(compare(seenOf(), [event])).toEqual({ changes, missing: [], seen: [event.id] });
  });

  test("of a calendar that was never read is a change if it was written since", () => {
    const events = [eventOn(24), eventOn(25, { created_at: AFTER, updated_at: AFTER })];
    expect(compare({ ...seenOf(), days: null }, events).changes).toEqual(["added e25"]);
  });

  test("that all who look see on its own day is on it in every zone", () => {
    const event = allDayOf({ id: "day", created_at: BEFORE, updated_at: BEFORE });
    for (const zone of ["Pacific/Kiritimati", "America/Los_Angeles"]) {
      const before = { ...seenOf(), days: { first: "2026-11-14", last: "2026-11-20", zone } };
      expect(compare(before, [event]).changes, zone).toEqual([]);
    }
  });
});

describe("an event that was seen and is not listed", () => {
  test.each([
    ["is over", eventOn(20), [], []],
    ["is ahead", eventOn(23), ["e23"], []],
    ["runs over midnight", eventOn(20, { id: "long", end_at: "2026-11-21T02:00:00.000Z" }), ["long"], []],
    ["has no times", eventOn(20, { id: "keep", start_at: null, end_at: null }), ["keep"], []],
    ["is later than the days, since the clock was set back", eventOn(28), [], ["e28"]],
  ])("%s", (_, event, missing, seen) => {
    expect(compare(seenOf(event), [])).toEqual({ changes: [], missing, seen });
  });

  test("is judged by what it is now", () => {
    const event = eventOn(23);
    expect(readLookup(event, null, NEXT_DAY)).toEqual({
      change: { change: "removed", event, before: event },
      seen: null,
    });
    expect(readLookup(event, event, NEXT_DAY)).toEqual({ change: null, seen: event });
    const moved = { ...eventOn(30), id: "e23", updated_at: AFTER };
    expect(readLookup(event, moved, NEXT_DAY)).toEqual({
      change: { change: "changed", event: moved, before: event },
      seen: null,
    });
    const late = { ...eventOn(24), id: "e23", updated_at: AFTER };
    expect(readLookup(event, late, NEXT_DAY)).toEqual({
      change: { change: "changed", event: late, before: event },
      seen: late,
    });
  });
});

describe("an event that was seen and is listed", () => {
  test("and does not match any more is changed, and not watched", () => {
    const before = eventOn(24);
    const now = { ...before, title: "Other", updated_at: AFTER };
    const listed = { days: NEXT_DAY, events: [now], matching: new Set<Event>() };
    expect(compareEvents(seenOf(before), listed)).toEqual({
      changes: [{ change: "changed", event: now, before }],
      missing: [],
      seen: [],
    });
  });

  const event = eventOf({ attendees: [userOf("cal,1"), userOf("cal,2")] });
  const unstamped = { ...event, updated_at: null };
  test.each<readonly [string, Event, Partial<Event>, boolean]>([
    ["the same", event, {}, false],
    ["a later write", event, { updated_at: AFTER }, true],
    ["the same instant, written differently", event, { updated_at: "2026-11-01T09:00:00+09:00" }, false],
    ["another title with the same time", event, { title: "Other" }, true],
    ["another start with the same time", event, { start_at: "2026-11-21T05:00:00.000Z" }, true],
    ["no timestamps", unstamped, {}, false],
    ["no timestamps, another place", unstamped, { location: "Hall" }, true],
    ["no timestamps any more", event, { updated_at: null }, false],
    ["null and empty text", event, { location: "", description: "", url: "" }, false],
    [
      "a new name of its label",
      event,
      { label: { id: "cal,1", number: 1, name: "Work", color: null } },
      false,
    ],
    ["another label", event, { label: { id: "cal,2", number: 2, name: "Work", color: null } }, true],
    [
      "attendees in another order, with plain ids",
      event,
      { attendees: [userOf("2", "Ben"), userOf("1")] },
      false,
    ],
    ["another attendee", event, { attendees: [userOf("cal,1")] }, true],
  ])("%s", (_, before, fields, changed) => {
    const { changes } = compare(seenOf(before), [{ ...before, ...fields }]);
    expect(changes).toEqual(changed ? ["changed e1"] : []);
  });

  test("an all-day event that ends where it begins is the one that ends at midnight", () => {
    const day = allDayOf({ end_at: "2026-11-21T00:00:00.000Z" });
    expect(compare(seenOf(day), [{ ...day, end_at: "2026-11-22T00:00:00.000Z" }]).changes).toEqual([]);
  });
});

describe("an event that repeats", () => {
  const weekly = (day: number) => eventOn(day, { id: "weekly", recurrences: ["RRULE:FREQ=WEEKLY"] });

  test("is not changed by its next time", () => {
    expect(compare(seenOf(weekly(20)), [weekly(27)])).toEqual({ changes: [], missing: [], seen: ["weekly"] });
  });

  test("under one id has its times told apart by their start", () => {
    const daily = [20, 21, 22, 23].map(weekly);
    const [, ...rest] = daily;
    expect(compare(seenOf(...daily), [...rest, weekly(27)]).changes).toEqual([]);
    expect(compare(seenOf(...daily), rest.slice(1)).changes).toEqual(["removed weekly"]);
  });
});
