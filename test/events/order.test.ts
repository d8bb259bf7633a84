import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../../contract/shapes.js";
import { filterEvents, sortEvents } from "../../src/events/order.js";
import { words } from "../support/words.js";
import { allDayOf, anyZone, eventOf, keepOf, userOf } from "./fixtures.js";

const ZONE = "Asia/Tokyo";
const LISTED = { zone: ZONE, firstDay: "2026-11-21" };

function idsOf(events: readonly Event[]): readonly string[] {
  return events.map(({ id }) => id);
}

describe("sortEvents", () => {
  const ordered = [
    allDayOf({ id: "all-day-since-yesterday", start_at: "2026-11-20T00:00:00.000Z", title: "Z" }),
    allDayOf({ id: "all-day-a", title: "A" }),
    allDayOf({ id: "all-day-b", title: "B" }),
    eventOf({
      id: "began-yesterday",
      start_at: "2026-11-20T14:00:00.000Z",
      end_at: "2026-11-21T02:00:00.000Z",
    }),
    eventOf({ id: "midnight", start_at: "2026-11-20T15:00:00.000Z" }),
    eventOf({ id: "afternoon-1" }),
    eventOf({ id: "afternoon-2" }),
    eventOf({ id: "afternoon-untitled-last", title: "Z" }),
    eventOf({ id: "evening", start_at: "2026-11-21T14:59:00.000Z" }),
    allDayOf({ id: "tomorrow", start_at: "2026-11-22T00:00:00.000Z" }),
    eventOf({ id: "tomorrow-morning", start_at: "2026-11-21T15:30:00.000Z" }),
    keepOf({ id: "keep-a", title: "A" }),
    keepOf({ id: "keep-b", title: "B" }),
    eventOf({ id: "unreadable", start_at: "soon", title: "C" }),
  ];

  test("by day in the zone from the first one listed, all-day first, then by start, title and id, without times last", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (events) => {
        expect(idsOf(sortEvents(events, LISTED))).toEqual(idsOf(ordered));
      }),
    );
  });

  test("days begin at the zone's midnight", () => {
    const events = [
      eventOf({ id: "timed", start_at: "2026-11-21T02:00:00.000Z" }),
      allDayOf({ id: "all-day" }),
    ];
    expect(idsOf(sortEvents(events, { ...LISTED, zone: "Asia/Tokyo" }))).toEqual(["all-day", "timed"]);
    expect(idsOf(sortEvents(events, { zone: "America/New_York", firstDay: "2026-11-20" }))).toEqual([
      "timed",
      "all-day",
    ]);
  });

  test("does not change its argument", () => {
    const events = [keepOf({ id: "keep" }), eventOf({ id: "event" })];
    sortEvents(events, LISTED);
    expect(idsOf(events)).toEqual(["keep", "event"]);
  });

  test("an event without a title comes before those with one", () => {
    const events = [eventOf({ id: "titled" }), eventOf({ id: "untitled", title: null })];
    for (const given of [events, events.toReversed()])
      expect(idsOf(sortEvents(given, LISTED))).toEqual(["untitled", "titled"]);
  });
});

describe("filterEvents", () => {
  test("without conditions keeps every event, in order", () => {
    const events = [keepOf({ id: "b" }), eventOf({ id: "a" })];
    expect(filterEvents(events, {}, ZONE)).toEqual(events);
  });

  test("by category", () => {
    const events = [keepOf({ id: "keep" }), eventOf({ id: "schedule" })];
    expect(idsOf(filterEvents(events, { category: "keep" }, ZONE))).toEqual(["keep"]);
  });

  test("by labels of several calendars, plain ids too", () => {
    const label = { number: 2, name: null, color: null };
    const events = [
      eventOf({ id: "wanted", label: { ...label, id: "cal,2" } }),
      eventOf({ id: "plain", label: { ...label, id: "2" } }),
      eventOf({ id: "elsewhere", calendar_id: "other", label: { ...label, id: "other,2" } }),
      eventOf({ id: "other-label" }),
      eventOf({ id: "no-label", label: null }),
    ];
    expect(idsOf(filterEvents(events, { labelIds: new Set(["cal,2"]) }, ZONE))).toEqual(["wanted", "plain"]);
    const both = new Set(["cal,2", "other,2"]);
    expect(idsOf(filterEvents(events, { labelIds: both }, ZONE))).toEqual(["wanted", "plain", "elsewhere"]);
  });

  test.each(["7", "cal,7"])(
    "by the user %s: created or attended, but not by an app with the same id",
    (userId) => {
      const events = [
        eventOf({ id: "created", creator: userOf("cal,7") }),
        eventOf({ id: "created-plain", creator: userOf("7") }),
        eventOf({ id: "attended", creator: null, attendees: [userOf("cal,2"), userOf("cal,7")] }),
        eventOf({ id: "by-an-app", creator: { ...userOf("cal,7"), type: "application" } }),
        eventOf({ id: "of-another", creator: userOf("cal,77") }),
      ];
      expect(idsOf(filterEvents(events, { mine: { userId } }, ZONE))).toEqual([
        "created",
        "created-plain",
        "attended",
      ]);
    },
  );

  test("what remains at an instant", () => {
    const now = Date.parse("2026-11-21T06:30:00.000Z");
    const events = [
      eventOf({ id: "on" }),
      eventOf({ id: "just-over", end_at: "2026-11-21T06:30:00.000Z" }),
      eventOf({ id: "later", start_at: "2026-11-21T08:00:00.000Z", end_at: "2026-11-21T09:00:00.000Z" }),
      allDayOf({ id: "last-day", start_at: "2026-11-20T00:00:00.000Z", end_at: "2026-11-22T00:00:00.000Z" }),
      allDayOf({
        id: "ended-yesterday",
        start_at: "2026-11-20T00:00:00.000Z",
        end_at: "2026-11-21T00:00:00.000Z",
      }),
      keepOf({ id: "keep" }),
      eventOf({ id: "endless", end_at: null }),
    ];
    expect(idsOf(filterEvents(events, { remaining: { now } }, ZONE))).toEqual(words`on later last-day
      keep endless`);
  });

  test.each([
    ["ends at the next midnight", {}],
    ["ends where it starts", { start_at: "2026-11-22T00:00:00.000Z", end_at: "2026-11-22T00:00:00.000Z" }],
  ])("an all-day event that %s lasts until midnight in the zone", (_, times) => {
    const now = Date.parse("2026-11-22T16:00:00.000Z");
    const event = allDayOf(times);
    expect(filterEvents([event], { remaining: { now } }, "America/New_York")).toHaveLength(1);
    expect(filterEvents([event], { remaining: { now } }, "Asia/Tokyo")).toHaveLength(0);
  });

  test("all conditions must be met", () => {
    const events = [eventOf({ id: "a" }), keepOf({ id: "b" }), keepOf({ id: "c", creator: userOf("cal,9") })];
    const filter = { category: "keep", mine: { userId: "1" } };
    expect(idsOf(filterEvents(events, filter, ZONE))).toEqual(["b"]);
  });

  test("a filtered list is a subset, in any zone", () => {
    const events = [eventOf(), allDayOf(), keepOf()];
    fc.assert(
      fc.property(
        anyZone,
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        (zone, now) => {
          const left = filterEvents(events, { remaining: { now: now.getTime() } }, zone);
          expect(events).toEqual(expect.arrayContaining(left));
          expect(left).toContainEqual(keepOf());
        },
      ),
    );
  });
});
