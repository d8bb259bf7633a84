import { describe, expect, test } from "vitest";
import { draft as draftOf, missingForDraft } from "../../src/events/draft.js";
import { readEventInput } from "../../src/events/json.js";
import { localizeEvent } from "../../src/events/localized-event.js";
import type { TypedPatch } from "../../src/events/patch.js";
import { parseDuration } from "../../src/time/dates.js";
import { allDayOf, eventOf, failureOf, keepOf, parsed, type TypedTimes } from "./fixtures.js";

type TypedFlags = Omit<TypedPatch, "start" | "end" | "duration"> & TypedTimes;

function draft(flags: TypedFlags, input?: unknown) {
  const read = input === undefined ? [] : [readInput(input)];
  const length = parseDuration("1h", "duration");
  return draftOf([...read, parsed(flags, "Asia/Tokyo")], { zone: "Asia/Tokyo", length });
}

function readInput(value: unknown) {
  return readEventInput(value, "--input").patch;
}

/** That of an output, which is found later. */
const ANY_LABEL = expect.objectContaining({ value: "1" });
const TIMES = { start: "2026-11-21T15:00", duration: "1h" };
const HOUR = {
  all_day: false,
  start_at: "2026-11-21T06:00:00.000Z",
  start_timezone: "Asia/Tokyo",
  end_at: "2026-11-21T07:00:00.000Z",
  end_timezone: "Asia/Tokyo",
};
const DAYS = {
  all_day: true,
  start_at: "2026-11-21T00:00:00.000Z",
  start_timezone: "UTC",
  end_at: "2026-11-23T00:00:00.000Z",
  end_timezone: "UTC",
};

describe("draft from flags", () => {
  test("fills in defaults and omits other fields", () => {
    expect(draft({ title: "Review", ...TIMES })).toEqual({
      category: "schedule",
      title: "Review",
      ...HOUR,
    });
  });

  test("lasts an hour without an end, whatever it is made of", () => {
    const { end_at, ...open } = HOUR;
    const start = "2026-11-21T15:00";
    expect(draft({ title: "Review", start })).toMatchObject(HOUR);
    expect(draft({ title: "Review", category: "keep", start })).toMatchObject(HOUR);
    expect(draft({}, { title: "Review", ...open })).toMatchObject({ ...HOUR, end_at });
    expect(draft({ allDay: false, start }, allDayOf())).toMatchObject(HOUR);
    expect(draft({ title: "Trip", allDay: true, start: "2026-11-21" })).toMatchObject({
      end_at: "2026-11-22T00:00:00.000Z",
    });
  });

  test("has every given field", () => {
    const flags = {
      title: "Review",
      category: "keep" as const,
      description: "Slides",
      location: "Room 2",
      url: "https://example.com/",
    };
    expect(draft(flags)).toEqual({
      category: "keep",
      title: "Review",
      description: "Slides",
      location: "Room 2",
      url: "https://example.com/",
    });
  });

  test.each<[TypedFlags, string]>([
    [{}, "missing --title and --start"],
    [{ title: "Review" }, "missing --start"],
    [{ start: "2026-11-21T15:00" }, "missing --title"],
    [{ allDay: true }, "missing --title and --start"],
    [{ category: "keep" }, "missing --title"],
    [{ category: "keep", end: "2026-11-21T15:00" }, "missing --title and --start"],
    [{ title: "x".repeat(51), ...TIMES }, "--title is 51 characters long, at most 50 are allowed"],
    [{ title: "Review", url: "", ...TIMES }, "--url is empty"],
    [{ title: "", ...TIMES }, "--title is empty"],
  ])("rejects %j", (flags, message) => {
    expect(failureOf(() => draft(flags))).toMatchObject({ code: "usage", message });
  });
});

describe("draft from an input object", () => {
  test.each([
    ["a timed event", eventOf(), HOUR],
    ["an all-day event", allDayOf(), DAYS],
    [
      "an all-day event whose end is its start",
      allDayOf({ end_at: "2026-11-21T00:00:00.000Z" }),
      { ...DAYS, end_at: "2026-11-22T00:00:00.000Z" },
    ],
  ])("copies %s from the output", (_, event, times) => {
    expect(draft({}, localizeEvent(event, "America/New_York"))).toMatchObject({ title: "Review", ...times });
  });

  test("copies a keep without times", () => {
    expect(draft({}, keepOf())).toEqual({
      category: "keep",
      title: "Review",
      label: ANY_LABEL,
      attendees: [],
    });
  });

  test("accepts offsets, and fills in the chosen zone", () => {
    const input = { title: "Review", start_at: "2026-11-21T15:00:00+09:00", end_at: "2026-11-21T07:00:00Z" };
    expect(draft({}, input)).toMatchObject(HOUR);
  });

  test("reads the dates of an all-day event as written", () => {
    const input = { title: "Trip", all_day: true, start_at: "2026-11-21T00:00:00+09:00" };
    expect(draft({}, input)).toMatchObject({ ...DAYS, end_at: "2026-11-22T00:00:00.000Z" });
  });

  test("begins a series that was printed at its first, excepted date, also without an end", () => {
    const recurrences = ["RRULE:FREQ=DAILY", "EXDATE:20261120T060000Z"];
    const { end_at: _, ...open } = HOUR;
    const series = { id: "s", series_id: "s", title: "Review", ...open, recurrences };
    expect(draft({}, series)).toMatchObject({
      start_at: "2026-11-20T06:00:00.000Z",
      end_at: "2026-11-20T07:00:00.000Z",
      recurrences,
    });
  });

  test.each<[string, TypedFlags, object, object]>([
    [
      "texts",
      { title: "Retro", location: "Room 2" },
      eventOf(),
      { title: "Retro", location: "Room 2", ...HOUR },
    ],
    ["--duration", { duration: "2h" }, eventOf(), { ...HOUR, end_at: "2026-11-21T08:00:00.000Z" }],
    ["--end", { end: "2026-11-21T17:00" }, eventOf(), { ...HOUR, end_at: "2026-11-21T08:00:00.000Z" }],
    ["--start", { start: "2026-11-21T14:00" }, eventOf(), { ...HOUR, start_at: "2026-11-21T05:00:00.000Z" }],
    ["--all-day", { allDay: true }, eventOf(), { ...DAYS, end_at: "2026-11-22T00:00:00.000Z" }],
    ["--no-all-day and times", { allDay: false, ...TIMES }, allDayOf(), HOUR],
    ["a zone", { endTimezone: "Europe/Berlin" }, eventOf(), { ...HOUR, end_timezone: "Europe/Berlin" }],
    ["--duration for a missing end", { duration: "1h" }, { ...HOUR, title: "Review", end_at: null }, HOUR],
  ])("%s wins over it", (_, flags, input, expected) => {
    expect(draft(flags, input)).toMatchObject(expected);
  });

  test.each<[TypedFlags, unknown, string]>([
    [{}, { title: "Review" }, "missing --start"],
    [{}, { ...HOUR }, "missing --title"],
    [{ start: "2026-11-21" }, {}, "is a date without a time; missing --title"],
    [
      {},
      { ...HOUR, end_at: "2026-11-20T00:00:00Z" },
      "is not after the start 2026-11-21T15:00:00+09:00; missing --title",
    ],
    [
      {},
      { ...HOUR, end_at: "2026-11-21T05:00:00Z", end_timezone: "Europe/Berlin" },
      "the end 2026-11-21T06:00:00+01:00 is not after the start 2026-11-21T15:00:00+09:00",
    ],
    [{ allDay: false }, allDayOf(), "missing --start"],
    [{ start: "2026-11-21T17:00" }, eventOf(), "the end 2026-11-21T16:00:00+09:00 is not after the start"],
    [{}, { ...DAYS, title: "Trip", end_at: "2026-11-20T00:00:00Z" }, "is before the first day 2026-11-21"],
    [
      {},
      { ...DAYS, title: "Trip", start_at: "2026-11-21T09:00:00Z" },
      "--input: start_at 2026-11-21T09:00:00Z has a clock",
    ],
  ])("rejects flags %j with input %j", (flags, input, message) => {
    const failure = failureOf(() => draft(flags, input));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain(message);
  });
});

describe("missingForDraft", () => {
  const missing = (flags: TypedFlags) => missingForDraft([parsed(flags, "Asia/Tokyo")]);

  test("is empty when nothing is missing", () => {
    expect(missing({ title: "Review", ...TIMES })).toEqual([]);
    expect(missing({ title: "Trip", allDay: true, start: "2026-11-21" })).toEqual([]);
    expect(missingForDraft([{ title: "Idea", category: "keep" }])).toEqual([]);
    expect(missingForDraft([readInput(eventOf())])).toEqual([]);
  });

  test("names each flag", () => {
    expect(missingForDraft([])).toEqual(["--title", "--start"]);
  });
});
