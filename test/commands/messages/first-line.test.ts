import { describe, expect, test } from "vitest";
import {
  createDigest,
  createReminder,
  describeChanges,
  describeDigest,
} from "../../../src/commands/messages/message.js";
import { DINNER, EVENTS, event, NOW, OPTIONS, ZONE } from "./fixtures.js";

/** What a phone shows of a message. */

const SATURDAY = "2026-11-21";
const SWIMMING = event("Swimming", `${SATURDAY}T09:30`, `${SATURDAY}T10:30`);
const GRANDMA = event("Grandma visits", "2026-11-20", "2026-11-22");
const TRAIN = event("Night train", "2026-11-20T22:00", "2026-11-21T06:00");
const LONDON = event("Flight", "2026-11-24T10:00", "2026-11-24T12:00");

function days(first: string | null, last: string | null, filters: readonly string[] = []) {
  return { zone: ZONE, now: NOW, range: { first, last }, filters };
}

describe("a digest", () => {
  test.each([
    [[GRANDMA, SWIMMING, DINNER], SATURDAY, "Today, Sat 21 Nov: 3 events, first 09:30 Swimming"],
    [[SWIMMING], SATURDAY, "Today, Sat 21 Nov: 1 event, 09:30 Swimming"],
    [[GRANDMA], SATURDAY, "Today, Sat 21 Nov: 1 event, all day Grandma visits"],
    [[TRAIN, DINNER], SATURDAY, "Today, Sat 21 Nov: 2 events, first 19:00 Dinner with the neighbors"],
    [[TRAIN], SATURDAY, "Today, Sat 21 Nov: 1 event, Night train"],
    [[], SATURDAY, "Today, Sat 21 Nov: no events"],
    [[GRANDMA], "2026-11-22", "Tomorrow, Sun 22 Nov: 1 event, all day Grandma visits"],
    [[LONDON], "2026-11-24", "Tue 24 Nov: 1 event, 10:00 Flight"],
    [[], "2027-01-01", "Fri 1 Jan 2027: no events"],
  ])("of %# on %s says how many there are, and which comes first", (events, date, line) => {
    expect(describeDigest(events, days(date, date))).toBe(line);
  });

  test.each([
    [
      EVENTS,
      SATURDAY,
      "2026-11-27",
      "Sat 21 – Fri 27 Nov: 7 events, first today 09:30 Swimming lesson (label Visits, mine)",
    ],
    [[LONDON], "2026-11-22", null, "From Sun 22 Nov: 1 event, Tue 24 Nov 10:00 Flight (label Visits, mine)"],
    [[DINNER], null, null, "1 event, today 19:00 Dinner with the neighbors (label Visits, mine)"],
  ])("of several days names the day of the first: %#", (events, first, last, line) => {
    expect(describeDigest(events, days(first, last, ["label Visits", "mine"]))).toBe(line);
  });

  test("keeps the count, the first event and a filter where names are long", () => {
    const long = event("long ".repeat(40), `${SATURDAY}T09:30`, `${SATURDAY}T10:30`);
    const line = describeDigest([long, DINNER], days(SATURDAY, SATURDAY, ["f".repeat(100)]));
    expect(line).toMatch(/^Today, Sat 21 Nov: 2 events, first 09:30 (?:long )+long… \(f+…\)$/);
    expect(line.length).toBeLessThanOrEqual(200);
  });

  test("of the day that its title names does not head it once more", () => {
    const one = { ...OPTIONS, range: { first: SATURDAY, last: SATURDAY } };
    expect(createDigest([DINNER], { ...one, titleNamesDay: true }).body).toMatchObject({
      titleDate: SATURDAY,
    });
    expect(createDigest([DINNER], one).body).toMatchObject({ titleDate: null });
    expect(createDigest(EVENTS, { ...OPTIONS, titleNamesDay: true }).body).toMatchObject({ titleDate: null });
  });
});

test.each([
  [
    [
      { change: "added" as const, event: SWIMMING, before: null },
      { change: "changed" as const, event: DINNER, before: null },
      { change: "removed" as const, event: LONDON, before: LONDON },
    ],
    "Changed: today 19:00 Dinner with the neighbors, and 2 more",
  ],
  [
    [
      { change: "changed" as const, event: SWIMMING, before: null },
      { change: "removed" as const, event: DINNER, before: DINNER },
    ],
    "Removed: today 19:00 Dinner with the neighbors, and 1 more",
  ],
  [[{ change: "added" as const, event: LONDON, before: null }], "New: Tue 24 Nov 10:00 Flight"],
  [
    [
      {
        change: "changed" as const,
        event: DINNER,
        before: event("Lunch", "2026-11-21T12:00", "2026-11-21T13:00"),
      },
    ],
    "Changed: today 19:00 Dinner with the neighbors, was 12:00–13:00",
  ],
  [
    [{ change: "changed" as const, event: DINNER, before: { ...DINNER, location: "Room 1" } }],
    "Changed: today 19:00 Dinner with the neighbors, was at Room 1",
  ],
  [[], "No changes, Sat 21 – Fri 27 Nov"],
])("changes begin with that of the nearest day, and with what was removed: %#", (changes, line) => {
  expect(describeChanges(changes, days(SATURDAY, "2026-11-27"))).toBe(line);
});

test("a reminder names the calendar where there are several, and only once", () => {
  const moment = { zone: ZONE, now: Date.parse("2026-11-21T17:45:00Z") };
  const { title } = createReminder([DINNER], { ...moment, showCalendar: true });
  expect(title).toBe("In 15 min: Dinner with the neighbors · Family");
});
