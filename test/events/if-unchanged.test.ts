import { describe, expect, test } from "vitest";
import type { Event } from "../../contract/shapes.js";
import { checkUnchanged, lastUpdate, wasUpdated } from "../../src/events/content.js";
import { changes } from "../../src/events/draft.js";
import { allDayOf, eventOf, failureOf, keepOf, userOf } from "./fixtures.js";

const SEEN = Date.parse("2026-11-21T06:00:00.000Z");
const LATER = "2026-11-21T06:00:00.001Z";

describe("checkUnchanged", () => {
  test.each(["2026-11-21T06:00:00.000Z", "2026-11-21T15:00:00+09:00"])("passes %s", (updatedAt) => {
    expect(checkUnchanged(eventOf({ updated_at: updatedAt }), SEEN, "--edit")).toBeUndefined();
  });

  test.each([
    ["a later one", LATER, "changed"],
    ["an earlier one", "2026-11-21T05:59:59.999Z", "changed"],
    ["none", null, "rejected"],
  ])("refuses %s", (_, updatedAt, code) => {
    const failure = failureOf(() => checkUnchanged(eventOf({ updated_at: updatedAt }), SEEN, "--edit"));
    expect(failure.code).toBe(code);
  });
});

test.each(["--if-unchanged", "--edit"])("an event without updated_at is an error that names %s", (source) => {
  const { code, message } = failureOf(() => lastUpdate(eventOf({ updated_at: null }), source));
  expect({ code, message }).toEqual({
    code: "rejected",
    message: `${source}: the service does not say when the event was last changed`,
  });
});

describe("wasUpdated", () => {
  const before = eventOf({ description: "old", attendees: [userOf("cal,1"), userOf("cal,2")] });
  const draft = changes(before, [{ title: "New", description: null }], "UTC");
  const after: Event = { ...before, title: "New", description: "", updated_at: LATER };

  test("an event that is as it was seen was not updated", () => {
    expect(
      wasUpdated({ ...before, updated_at: "2026-11-21T06:00:00.000Z" }, { expectedUpdatedAt: SEEN, draft }),
    ).toBe(false);
  });

  test.each<[string, Partial<Event>]>([
    ["exactly", {}],
    ["with null for a cleared text", { description: null }],
    ["with attendees in another order, and plain ids", { attendees: [userOf("2"), userOf("1")] }],
    ["with times written otherwise", { start_at: "2026-11-21T15:00:00+09:00", all_day: null }],
    ["with fields that no update has", { creator: null, recurrences: ["RRULE:FREQ=DAILY"] }],
  ])("an event as it was written was updated: %s", (_, fields) => {
    expect(wasUpdated({ ...after, ...fields }, { expectedUpdatedAt: SEEN, draft })).toBe(true);
  });

  test("an all-day event whose end the service writes as its start, and a keep without times", () => {
    for (const event of [allDayOf({ end_at: "2026-11-21T00:00:00.000Z" }), keepOf()]) {
      const written = changes(event, [{ title: "New" }], "UTC");
      const found = { ...event, title: "New", updated_at: LATER };
      expect(wasUpdated(found, { expectedUpdatedAt: SEEN, draft: written })).toBe(true);
    }
  });

  test.each<[string, Partial<Event>]>([
    ["another title", { title: "Theirs" }],
    ["another category", { category: "keep" }],
    ["another text", { description: "old" }],
    ["another start", { start_at: "2026-11-21T05:00:00.000Z" }],
    ["no end", { end_at: null }],
    ["another zone", { end_timezone: "UTC" }],
    ["days instead of times", { all_day: true }],
    ["another label", { label: { id: "cal,9", number: 9, name: null, color: null } }],
    ["no label", { label: null }],
    ["an attendee less", { attendees: [userOf("cal,1")] }],
    ["an earlier update", { updated_at: "2026-11-21T05:00:00.000Z" }],
    ["no time of its update", { updated_at: null }],
  ])("with %s it is unknown", (_, fields) => {
    const failure = failureOf(() => wasUpdated({ ...after, ...fields }, { expectedUpdatedAt: SEEN, draft }));
    expect(failure).toMatchObject({ code: "outcome_unknown", hint: expect.stringContaining("events get") });
  });
});
