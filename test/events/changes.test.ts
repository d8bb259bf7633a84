import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENT_RULES } from "../../contract/bodies.js";
import type { Event, EventDraft } from "../../contract/shapes.js";
import { changes } from "../../src/events/draft.js";
import { readEventInput } from "../../src/events/json.js";
import { localizeEvent } from "../../src/events/localized-event.js";
import {
  type ClearableField,
  type EventPatch,
  isEmptyPatch,
  type TypedPatch,
  withoutNames,
} from "../../src/events/patch.js";
import {
  allDayOf,
  anyDate,
  anyInstant,
  anyZone,
  eventOf,
  failureOf,
  keepOf,
  parsed,
  type TypedTimes,
  userOf,
} from "./fixtures.js";

const ZONE = "Europe/Berlin";

/** Flags, over an input; null for a cleared time. */
type TypedChanges = Omit<TypedPatch<string>, "start" | "end" | "duration"> & {
  readonly [K in keyof TypedTimes]?: TypedTimes[K] | null;
} & { readonly input?: EventPatch<string> };

function update(current: Event, { input, ...flags }: TypedChanges, zone = ZONE): EventDraft {
  const { start, end, ...others } = flags;
  const times = { ...(start && { start }), ...(end && { end }) };
  const cleared = { ...(start === null && { start }), ...(end === null && { end }) };
  const typed = { ...parsed({ ...others, ...times } as TypedTimes, zone), ...cleared };
  return changes(current, [...(input === undefined ? [] : [input]), typed], zone);
}

function inputOf(value: unknown): { readonly input: EventPatch<string> } {
  return { input: withoutNames(readEventInput(value, "--input").patch) };
}

const TOKYO_HOUR = {
  all_day: false,
  start_at: "2026-11-21T06:00:00.000Z",
  start_timezone: "Asia/Tokyo",
  end_at: "2026-11-21T07:00:00.000Z",
  end_timezone: "Asia/Tokyo",
};
const TWO_DAYS = {
  all_day: true,
  start_at: "2026-11-21T00:00:00.000Z",
  start_timezone: "UTC",
  end_at: "2026-11-23T00:00:00.000Z",
  end_timezone: "UTC",
};

describe("changes keeps other fields", () => {
  test("sends the whole event with composite ids and without nulls", () => {
    const current = eventOf({
      description: "Slides",
      url: "",
      label: { id: "4", number: 4, name: null, color: null },
      attendees: [userOf("cal,2"), userOf("3")],
    });
    const draft = update(current, { title: "Retro" });
    expect(JSON.parse(JSON.stringify(draft))).toEqual({
      category: "schedule",
      title: "Retro",
      ...TOKYO_HOUR,
      description: "Slides",
      url: "",
      label: "cal,4",
      attendees: ["cal,2", "cal,3"],
    });
  });

  test("an all-day end that equals its start is sent as the next midnight", () => {
    const oneDay = allDayOf({ end_at: "2026-11-21T00:00:00.000Z" });
    expect(update(oneDay, { title: "Trip" })).toMatchObject({
      ...TWO_DAYS,
      end_at: "2026-11-22T00:00:00.000Z",
    });
  });

  test("a keep without times stays one", () => {
    const draft = update(keepOf(), { title: "Idea" });
    expect(draft).toMatchObject({ category: "keep", title: "Idea", label: "cal,1" });
    expect(draft).toMatchObject({ start_at: undefined, end_at: undefined, start_timezone: undefined });
  });

  test("an unknown category is sent unchanged", () => {
    expect(update(eventOf({ category: "memo" }), { title: "Retro" }).category).toBe("memo");
  });

  const anySpan = fc
    .tuple(anyInstant, fc.integer({ min: 1, max: 10 * 86_400_000 }))
    .map(([start, length]) => ({
      start_at: new Date(start).toISOString(),
      end_at: new Date(start + length).toISOString(),
    }));
  const anyDays = fc.tuple(anyDate, fc.nat({ max: 10 })).map(([first, days]) => ({
    all_day: true,
    start_at: `${first}T00:00:00.000Z`,
    end_at: new Date(Date.parse(first) + days * 86_400_000).toISOString(),
  }));
  const anyText = fc.option(fc.string({ maxLength: 40 }));
  const anyEvent = fc
    .record({
      times: fc.oneof(anySpan, anyDays, fc.constant({ category: "keep", start_at: null, end_at: null })),
      start_timezone: fc.option(anyZone),
      end_timezone: fc.option(anyZone),
      description: anyText,
      location: anyText,
      url: anyText,
      attendees: fc
        .uniqueArray(fc.nat({ max: 20 }).map(String))
        .map((ids) => ids.map((id) => userOf(`cal,${id}`))),
    })
    .map(({ times, ...fields }) => eventOf({ ...fields, ...times }));

  test("for any event and any zone", () => {
    fc.assert(
      fc.property(anyEvent, anyZone, anyZone, (current, zone, other) => {
        const draft = update(current, { title: "Retro" }, zone);
        expect(meaningOf(eventFrom(draft), other)).toEqual(meaningOf({ ...current, title: "Retro" }, other));
        const attributes = { ...draft, category: draft.category === "keep" ? "keep" : "schedule" } as const;
        expect(EVENT_RULES.filter(({ broken }) => broken(attributes))).toEqual([]);
      }),
    );
  });

  test("also when its own output is the input", () => {
    fc.assert(
      fc.property(anyEvent, anyZone, anyZone, (current, zone, other) => {
        const changes = inputOf(localizeEvent(current, other));
        expect(update(current, { ...changes, title: "Retro" }, zone)).toMatchObject(
          definedFields(update(current, { title: "Retro" }, zone)),
        );
      }),
    );
  });
});

/** The event that a service would have after the update. */
function eventFrom(draft: EventDraft): Event {
  return eventOf({
    category: draft.category,
    title: draft.title,
    all_day: draft.all_day ?? false,
    start_at: draft.start_at ?? null,
    start_timezone: draft.start_timezone ?? null,
    end_at: draft.end_at ?? null,
    end_timezone: draft.end_timezone ?? null,
    description: draft.description ?? null,
    location: draft.location ?? null,
    url: draft.url ?? null,
    label: { id: draft.label ?? "", number: null, name: null, color: null },
    attendees: (draft.attendees ?? []).map((id) => userOf(id)),
  });
}

function definedFields<T extends object>(fields: T): Partial<T> {
  return JSON.parse(JSON.stringify(fields));
}

/** The event as a person sees it in a zone. */
function meaningOf(event: Event, zone: string) {
  return {
    ...localizeEvent(event, zone),
    label: event.label?.id,
    attendees: event.attendees.map(({ id }) => id),
  };
}

/** The times of a draft: `2026-11-21T06:00–07:00 Asia/Tokyo`, `days 2026-11-21–2026-11-23 UTC`; UTC, the end exclusive. */
function timesOf({ all_day, start_at = "", end_at = "", start_timezone, end_timezone }: EventDraft): string {
  expect([start_at, end_at].join()).toMatch(
    all_day ? /^\S{10}T00:00:00.000Z,\S{10}T00:00:00.000Z$/ : /:00.000Z,.*:00.000Z$/,
  );
  const [start, end] = [start_at, end_at].map((text) => text.slice(0, all_day ? 10 : 16));
  const isSameDay = !all_day && start?.slice(0, 10) === end?.slice(0, 10);
  const zones = start_timezone === end_timezone ? start_timezone : `${start_timezone}/${end_timezone}`;
  return `${all_day ? "days " : ""}${start}–${isSameDay ? end?.slice(11) : end} ${zones}`;
}

describe("changes changes times", () => {
  const LATE = eventOf({ start_at: "2026-11-21T23:00:00.000Z", end_at: "2026-11-22T15:30:00.000Z" });
  const UNTIL_MIDNIGHT = eventOf({
    start_at: "2026-11-20T15:00:00.000Z",
    end_at: "2026-11-21T15:00:00.000Z",
  });
  const ON_MARS = eventOf({
    start_at: "2026-11-20T23:30:00.000Z",
    start_timezone: "Mars/Olympus",
    end_timezone: null,
    end_at: "2026-11-21T00:30:00.000Z",
  });
  const [START, FIRST] = [{ start: "2026-11-21T06:30" }, { start: "2026-11-20" }];
  const [ZONE_ONLY, NEW_YORK] = [{ endTimezone: "UTC" }, { startTimezone: "America/New_York" }];
  const DAYS_LATER = { text: "+2d", days: 2, minutes: 0 };
  const HOUR_LATER = { start: "2026-11-21T15:00", duration: "1h" };

  test.each<[string, Event, TypedChanges, string]>([
    ["--start alone moves in the own zones", eventOf(), START, "2026-11-21T05:30–06:30 Asia/Tokyo"],
    [
      "--start moves by elapsed time over a clock change",
      eventOf(),
      { start: "2026-10-25T02:30+02:00" },
      "2026-10-25T00:30–01:30 Asia/Tokyo",
    ],
    [
      "a day alone keeps the time of day in the own zone, and the length",
      eventOf({ start_timezone: "Europe/Berlin" }),
      { start: "2027-04-01" },
      "2027-04-01T05:00–06:00 Europe/Berlin/Asia/Tokyo",
    ],
    [
      "a day is that of the chosen zone",
      LATE,
      { start: "2026-11-23" },
      "2026-11-22T23:00–2026-11-23T15:30 Asia/Tokyo",
    ],
    [
      "a day alone with --duration",
      eventOf(),
      { start: "2026-11-20", duration: "3h" },
      "2026-11-20T06:00–09:00 Asia/Tokyo",
    ],
    [
      "--by by the clock of the own zone",
      ON_MARS,
      { by: DAYS_LATER },
      "2026-11-22T23:30–2026-11-23T00:30 Mars/Olympus/undefined",
    ],
    ["--by of days", allDayOf(), { by: DAYS_LATER }, "days 2026-11-23–2026-11-25 UTC"],
    [
      "--start wins over the start of an input, and moves as well",
      eventOf(),
      { ...START, ...inputOf({ start_at: "2026-11-01T00:00:00Z" }) },
      "2026-11-21T05:30–06:30 Asia/Tokyo",
    ],
    [
      "--start beside the end of an input moves nothing",
      eventOf(),
      { ...START, ...inputOf({ end_at: "2026-11-21T09:00:00Z" }) },
      "2026-11-21T05:30–09:00 Asia/Tokyo",
    ],
    [
      "--no-all-day --start keeps the end of a timed event",
      eventOf(),
      { allDay: false, ...START },
      "2026-11-21T05:30–07:00 Asia/Tokyo",
    ],
    [
      "the start of an input alone keeps the end",
      eventOf(),
      inputOf({ start_at: "2026-11-21T05:30:00Z" }),
      "2026-11-21T05:30–07:00 Asia/Tokyo",
    ],
    ["--end keeps the start", eventOf(), { end: "2026-11-21T09:00" }, "2026-11-21T06:00–08:00 Asia/Tokyo"],
    [
      "--start with --duration",
      eventOf(),
      { start: "2026-11-22T15:00+09:00", duration: "1h" },
      "2026-11-22T06:00–07:00 Asia/Tokyo",
    ],
    ["--duration counts from the start", eventOf(), { duration: "2h" }, "2026-11-21T06:00–08:00 Asia/Tokyo"],
    [
      "--start-timezone is the zone of --start and of the event",
      eventOf(),
      { start: "2026-11-21T00:30", ...NEW_YORK },
      "2026-11-21T05:30–06:30 America/New_York/Asia/Tokyo",
    ],
    ["only a zone keeps the instants", eventOf(), ZONE_ONLY, "2026-11-21T06:00–07:00 Asia/Tokyo/UTC"],
    ["a first day alone moves days", allDayOf(), { start: "2026-11-30" }, "days 2026-11-30–2026-12-02 UTC"],
    [
      "--all-day with a first day is one day",
      allDayOf(),
      { allDay: true, ...FIRST },
      "days 2026-11-20–2026-11-21 UTC",
    ],
    [
      "--all-day with a first day makes a timed event one day",
      eventOf(),
      { allDay: true, ...FIRST },
      "days 2026-11-20–2026-11-21 Asia/Tokyo",
    ],
    ["the last day", allDayOf(), { end: "2026-11-24" }, "days 2026-11-21–2026-11-25 UTC"],
    ["days by --duration", allDayOf(), { duration: "3d" }, "days 2026-11-21–2026-11-24 UTC"],
    [
      "--all-day keeps the days in the own zone",
      LATE,
      { allDay: true },
      "days 2026-11-22–2026-11-24 Asia/Tokyo",
    ],
    [
      "--all-day of an event until midnight leaves the next day out",
      UNTIL_MIDNIGHT,
      { allDay: true },
      "days 2026-11-21–2026-11-22 Asia/Tokyo",
    ],
    [
      "--all-day of an event whose zone nobody knows takes the chosen one",
      ON_MARS,
      { allDay: true },
      "days 2026-11-21–2026-11-22 Mars/Olympus/undefined",
    ],
    [
      "--all-day with days",
      eventOf(),
      { allDay: true, start: "2026-12-01", end: "2026-12-02" },
      "days 2026-12-01–2026-12-03 Asia/Tokyo",
    ],
    [
      "--no-all-day with new times",
      allDayOf(),
      { allDay: false, ...HOUR_LATER },
      "2026-11-21T14:00–15:00 UTC",
    ],
    ["--no-all-day of a timed event", eventOf(), { allDay: false }, "2026-11-21T06:00–07:00 Asia/Tokyo"],
    ["a keep gets its first times, and their zone", keepOf(), HOUR_LATER, `2026-11-21T14:00–15:00 ${ZONE}`],
    [
      "a keep becomes a schedule with times",
      keepOf(),
      { category: "schedule", allDay: true, start: "2026-11-21", end: "2026-11-22" },
      "days 2026-11-21–2026-11-23 UTC",
    ],
    [
      "a schedule becomes a keep and keeps its times",
      eventOf(),
      { category: "keep" },
      "2026-11-21T06:00–07:00 Asia/Tokyo",
    ],
  ])("%s", (_, current, changes, expected) => {
    const draft = update(current, changes);
    expect(timesOf(draft)).toBe(expected);
    expect(draft.category).toBe(changes.category ?? current.category);
  });

  test.each<[string, Event, TypedChanges, string]>([
    [
      "a start after the end",
      eventOf(),
      { allDay: false, start: "2026-11-21T09:00" },
      "is not after the start",
    ],
    [
      "a last day before the first",
      allDayOf(),
      { end: "2026-11-20" },
      "last day 2026-11-20 is before the first",
    ],
    ["a day for a keep without times", keepOf(), { start: "2026-11-21" }, '"2026-11-21" is a date without'],
    ["--by of a keep without times", keepOf(), { by: DAYS_LATER }, "--by: the event has no times to move"],
    [
      "--by beside --clear start",
      eventOf(),
      { by: DAYS_LATER, start: null },
      "--by cannot be combined with other times or --all-day",
    ],
    ["a time for an all-day event", allDayOf(), { end: "2026-11-22T15:00" }, 'T15:00" has a clock time'],
    [
      "--no-all-day without times",
      allDayOf(),
      { allDay: false },
      "missing --start and --end (or --duration)",
    ],
    ["--no-all-day without an end", allDayOf(), { allDay: false, ...START }, "missing --end or --duration"],
    [
      "a schedule without times",
      keepOf(),
      { category: "schedule" },
      "missing --start and --end (or --duration)",
    ],
    ["--all-day of a keep without times", keepOf(), { allDay: true }, "missing --start"],
    ["a zone of a keep without times", keepOf(), { startTimezone: "UTC" }, "missing --start"],
    ["a keep with a start alone", keepOf(), START, "missing --end or --duration"],
    [
      "an event that has no end",
      eventOf({ end_at: null }),
      { title: "Retro" },
      "missing --end or --duration",
    ],
  ])("rejects %s", (_, current, changes, message) => {
    const failure = failureOf(() => update(current, changes));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain(message);
  });

  test("an all-day event is the same in every zone", () => {
    fc.assert(
      fc.property(anyDate, anyZone, anyZone, (start, zone, other) => {
        const days = { start_at: `${start}T00:00:00.000Z`, end_at: `${start}T00:00:00.000Z` };
        const draft = update(allDayOf({ ...days, start_timezone: other }), { title: "Trip" }, zone);
        expect(draft.start_at).toBe(days.start_at);
        expect(localizeEvent(eventFrom(draft), other)).toMatchObject({
          start_local: start,
          end_local: start,
        });
      }),
    );
  });
});

describe("changes clears", () => {
  test("texts and attendees", () => {
    const current = eventOf({ description: "x", location: "y", url: "z", attendees: [userOf("cal,2")] });
    const nothing = {
      description: null,
      location: null,
      url: null,
      attendees: [],
    } satisfies Record<ClearableField, null | readonly never[]>;
    expect(update(current, nothing)).toMatchObject({ description: "", location: "", url: "", attendees: [] });
  });

  test("both times of a keep", () => {
    const keep = eventOf({ category: "keep" });
    const draft = update(keep, { start: null, end: null });
    expect(JSON.parse(JSON.stringify(draft))).toEqual({
      category: "keep",
      title: "Review",
      label: "cal,1",
    });
  });

  test("the times of a schedule that becomes a keep", () => {
    const draft = update(eventOf(), { category: "keep", end: null, start: null });
    expect(draft).toMatchObject({ category: "keep", start_at: undefined });
  });

  test.each<[string, Event, TypedChanges, string]>([
    [
      "a time of a schedule",
      eventOf(),
      { start: null, end: null },
      "--clear start: a schedule needs its times",
    ],
    [
      "one time of a keep",
      eventOf({ category: "keep" }),
      { end: null },
      "--clear end: a keep has both times or neither",
    ],
  ])("not %s", (_, current, changes, message) => {
    const failure = failureOf(() => update(current, changes));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain(message);
  });
});

describe("changes changes attendees", () => {
  const current = eventOf({ attendees: [userOf("cal,2", "Ana"), userOf("3")] });

  test.each<[string, TypedChanges, readonly string[]]>([
    ["adds", { addAttendees: ["cal,4"] }, ["cal,2", "cal,3", "cal,4"]],
    ["adds nobody twice", { addAttendees: ["cal,3"] }, ["cal,2", "cal,3"]],
    ["removes", { removeAttendees: ["cal,3"] }, ["cal,2"]],
    ["removes the last", { removeAttendees: ["cal,2", "cal,3"] }, []],
    ["replaces", { attendees: ["cal,5"] }, ["cal,5"]],
    ["replaces by nobody", { attendees: [] }, []],
    ["clears and adds", { attendees: [], addAttendees: ["cal,5"] }, ["cal,5"]],
  ])("%s", (_, changes, ids) => {
    expect(update(current, changes).attendees).toEqual(ids);
  });

  test("rejects removing a user who is not an attendee, and lists the attendees", () => {
    expect(failureOf(() => update(current, { removeAttendees: ["cal,9"] }))).toMatchObject({
      code: "usage",
      message: "--remove-attendee: cal,9 is not an attendee of the event",
      hint: "attendees: Ana (cal,2), 3",
    });
  });
});

describe("changes with an input object", () => {
  test("only its fields change", () => {
    const draft = update(eventOf({ location: "Room 2" }), inputOf({ description: "Slides", location: null }));
    expect(draft).toMatchObject({
      title: "Review",
      description: "Slides",
      location: "Room 2",
      ...TOKYO_HOUR,
    });
  });

  const NO_ZONES = { ...TOKYO_HOUR, start_timezone: null, end_timezone: null };
  test.each<[string, Event, unknown, string]>([
    ["an end", eventOf(), { end_at: "2026-11-21T17:00:00+09:00" }, "2026-11-21T06:00–08:00 Asia/Tokyo"],
    ["days", allDayOf(), { end_at: "2026-11-24T00:00:00+09:00" }, "days 2026-11-21–2026-11-24 UTC"],
    [
      "an end at the start: a day",
      allDayOf(),
      { end_at: TWO_DAYS.start_at },
      "days 2026-11-21–2026-11-22 UTC",
    ],
    ["only all_day", eventOf(), { all_day: true }, "days 2026-11-21–2026-11-22 Asia/Tokyo"],
    ["times instead of days", allDayOf(), TOKYO_HOUR, "2026-11-21T06:00–07:00 Asia/Tokyo"],
    ["first times of a keep", keepOf(), NO_ZONES, `2026-11-21T06:00–07:00 ${ZONE}`],
  ])("accepts %s", (_, current, value, expected) => {
    expect(timesOf(update(current, inputOf(value)))).toBe(expected);
  });

  test("flags take precedence", () => {
    const changes = { ...inputOf({ title: "Retro", end_at: "2026-11-21T17:00:00+09:00" }), duration: "3h" };
    expect(update(eventOf(), { ...changes, title: "Demo" })).toMatchObject({
      title: "Demo",
      end_at: "2026-11-21T09:00:00.000Z",
    });
  });

  test("a clock time for an all-day event is rejected", () => {
    const failure = failureOf(() => update(allDayOf(), inputOf({ start_at: "2026-11-21T15:00:00Z" })));
    expect(failure.message).toContain("start_at 2026-11-21T15:00:00Z has a clock time");
  });
});

describe("fields that the service did not send", () => {
  test("are all reported as missing at once", () => {
    const current = eventOf({ title: null, category: null, label: null });
    expect(failureOf(() => update(current, { location: "Room 2" }))).toMatchObject({
      code: "usage",
      message: "missing --title, --category and --label",
    });
  });

  test("are taken from the flags", () => {
    const draft = update(eventOf({ title: null, label: null }), { title: "Retro", label: "cal,3" });
    expect(draft).toMatchObject({ title: "Retro", label: "cal,3" });
  });
});

describe("isEmptyPatch", () => {
  test.each<[EventPatch<string>, boolean]>([
    [{}, true],
    [{ title: undefined, addAttendees: undefined }, true],
    [inputOf({ id: "e1", title: null }).input, true],
    [{ title: "Retro" }, false],
    [{ allDay: false }, false],
    [{ attendees: [] }, false],
    [{ url: null }, false],
    [{ addAttendees: ["cal,2"] }, false],
    [inputOf({ title: "Retro" }).input, false],
  ])("case %#", (patch, expected) => {
    expect(isEmptyPatch(patch)).toBe(expected);
  });
});
