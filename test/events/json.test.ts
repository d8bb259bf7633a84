import { describe, expect, test } from "vitest";
import { readEventInput } from "../../src/events/json.js";
import { localizeEvent } from "../../src/events/localized-event.js";
import { allDayOf, eventOf, failureOf, keepOf, userOf } from "./fixtures.js";

function read(value: unknown) {
  return readEventInput(value, "--input");
}

/** The patch without undefined fields. */
function named(value: unknown): unknown {
  return JSON.parse(JSON.stringify(read(value).patch));
}

describe("readEventInput", () => {
  test("reads an event as printed, without fields that cannot be set", () => {
    const event = eventOf({ description: "Slides", attendees: [userOf("cal,2", "Ana")], url: "" });
    const output: unknown = JSON.parse(JSON.stringify(localizeEvent(event, "Asia/Tokyo")));
    expect(named(output)).toEqual({
      source: "--input",
      category: "schedule",
      title: "Review",
      allDay: false,
      start: "2026-11-21T06:00:00.000Z",
      startTimezone: "Asia/Tokyo",
      end: "2026-11-21T07:00:00.000Z",
      endTimezone: "Asia/Tokyo",
      description: "Slides",
      url: "",
      label: { value: "1", source: "--input: label", printed: { id: "cal,1", name: "", number: 1 } },
      attendees: [{ value: "2", source: "--input: attendees" }],
    });
    expect(read(output).notes).toEqual([]);
  });

  test.each([
    ["an all-day event", allDayOf()],
    ["an all-day event whose end is its start", allDayOf({ end_at: "2026-11-21T00:00:00.000Z" })],
    ["a keep without times", keepOf()],
    ["a time with fractions", eventOf({ start_at: "2026-11-21T06:00:00.999Z" })],
    ["an event without label and creator", eventOf({ label: null, creator: null })],
  ])("accepts printed events: %s", (_, event) => {
    expect(() => read(localizeEvent(event, "America/New_York"))).not.toThrow();
  });

  test("null counts as absent", () => {
    expect(named({ title: null, label: null, attendees: null, start_at: null, recurrences: null })).toEqual({
      source: "--input",
    });
  });

  test.each([
    [{ number: 3, name: "x" }, "3"],
    [{ id: null, number: null, name: "modern cyan" }, "modern cyan"],
    [3, "3"],
    ["modern cyan", "modern cyan"],
  ])("reads the label %j", (label, value) => {
    expect(read({ label }).patch.label).toEqual({ value, source: "--input: label" });
  });

  test("reads attendees as objects and as texts", () => {
    const { attendees } = read({ attendees: [{ id: "cal,2", name: "Ana" }, "me"] }).patch;
    expect(attendees?.map(({ value }) => value)).toEqual(["2", "me"]);
    expect(read({ attendees: [] }).patch.attendees).toEqual([]);
  });

  test.each([
    ["a new series", {}, true],
    ["a series as it is printed", { id: "a", series_id: "a" }, true],
    ["one of its events", { id: "a_20261123", series_id: "a" }, false],
    ["an event of a service that does not tell its series", { id: "a", series_id: null }, false],
  ])("reads the recurrences of %s: %j", (_, ids, isRead) => {
    const recurrences = ["RRULE:FREQ=DAILY"];
    expect(read({ ...ids, recurrences })).toMatchObject(
      isRead
        ? { patch: { recurrences }, notes: [] }
        : { notes: ["--input: it is one event of a series, whose recurrences are ignored"] },
    );
  });

  test.each([
    [[], "a list is not an event"],
    [null, "null is not an event"],
    ["Review", "a text is not an event"],
    [7, "a number is not an event"],
    [{ start: "x", end: "y" }, 'an event has no "start" (write "start_at"), "end" (write "end_at")'],
    [{ titel: "x", when: 1 }, 'an event has no "titel", "when"'],
    [JSON.parse('{"__proto__": {}}'), 'an event has no "__proto__"'],
    [{ title: 5 }, "title must be text, not a number"],
    [{ category: "memo" }, 'category: "memo" is not a category'],
    [{ all_day: "true" }, "all_day must be true or false, not a text"],
    [{ start_at: 1_700_000_000 }, "start_at must be text, not a number"],
    [{ start_at: "2026-11-21T15:00" }, "start_at"],
    [{ start_at: "2026-11-21" }, "start_at"],
    [{ end_at: "soon" }, "end_at"],
    [{ start_timezone: "BST" }, 'start_timezone: "BST" is not a time zone'],
    [{ end_timezone: "Tokio" }, 'end_timezone: "Tokio" is not a time zone'],
    [{ url: ["x"] }, "url must be text, not a list"],
    [{ label: {} }, "label must be"],
    [{ label: "" }, "label must be"],
    [{ label: true }, "label must be"],
    [{ attendees: "me" }, "attendees must be a list, not a text"],
    [{ attendees: ["me", { name: "Ana" }] }, "attendees[1] must be"],
    [{ attendees: [null] }, "attendees[0] must be"],
    [{ recurrences: "RRULE" }, "recurrences must be a list, not a text"],
    [{ recurrences: [3] }, "recurrences[0] must be text, not a number"],
  ])("rejects %j", (value, message) => {
    const failure = failureOf(() => read(value));
    expect(failure.code).toBe("usage");
    expect(failure.message).toMatch(/^--input: /);
    expect(failure.message).toContain(message);
  });

  test("lists the keys for an unknown one", () => {
    expect(failureOf(() => read({ titel: "x" })).hint).toMatch(/title, all_day, start_at/);
  });

  const hour = { start_at: "2026-11-21T06:00:00.000Z", end_at: "2026-11-21T07:00:00.000Z" };
  const days = { all_day: true, start_at: "2026-11-21T00:00:00.000Z", end_at: "2026-11-23T00:00:00.000Z" };

  test.each([
    { ...hour, start_local: "2026-11-21T15:00:00+09:00", end_local: "2026-11-21T02:00:00-05:00" },
    { ...hour, start_local: null },
    { ...days, start_local: "2026-11-21", end_local: "2026-11-22" },
    { end_at: days.end_at, end_local: "2026-11-22" },
  ])("accepts matching local times: case %#", (value) => {
    expect(() => read(value)).not.toThrow();
  });

  test.each([
    [{ ...hour, start_local: "2026-11-21T16:00:00+09:00" }, "start_local"],
    [{ ...hour, start_local: "2026-11-21T15:00:00" }, "start_local"],
    [{ ...hour, all_day: false, start_local: "2026-11-21" }, "start_local"],
    [{ ...days, start_local: "2026-11-21T00:00:00+00:00" }, "start_local"],
    [{ ...days, end_local: "2026-11-23" }, "end_local"],
    [{ start_local: "2026-11-21T15:00:00+09:00" }, "start_local"],
  ])("rejects local times that do not match: case %#", (value, field) => {
    const failure = failureOf(() => read(value));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain(field);
  });
});
