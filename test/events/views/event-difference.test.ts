import { expect, test } from "vitest";
import type { LocalizedEvent } from "../../../src/events/localized-event.js";
import { describeDifference } from "../../../src/events/views/change.js";
import { DINNER, event, label, person } from "../../commands/messages/fixtures.js";
import { BARE_KEEP, HOSTILE } from "../../output/fixtures.js";

const TUESDAY = event("Review", "2026-11-24T16:00", "2026-11-24T17:00");
const at = (start: string, end: string) => event("Review", start, end);

test.each<[was: string, before: LocalizedEvent, now: LocalizedEvent]>([
  ["was 12:00–13:00", at("2026-11-24T12:00", "2026-11-24T13:00"), TUESDAY],
  ["was 16:00–16:30", at("2026-11-24T16:00", "2026-11-24T16:30"), TUESDAY],
  ["was Mon 12:00–13:00", at("2026-11-23T12:00", "2026-11-23T13:00"), TUESDAY],
  ["was Mon 22:00 – Tue 02:00", at("2026-11-23T22:00", "2026-11-24T02:00"), TUESDAY],
  ["was Mon 30 Nov 16:00–17:00", at("2026-11-30T16:00", "2026-11-30T17:00"), at("2026-11-23", "2026-11-23")],
  [
    "was Thu 31 Dec 2026 16:00–17:00",
    at("2026-12-31T16:00", "2026-12-31T17:00"),
    at("2027-01-15", "2027-01-15"),
  ],
  ["was all day", at("2026-11-24", "2026-11-24"), TUESDAY],
  ["was Mon all day", at("2026-11-23", "2026-11-23"), TUESDAY],
  ["was Mon 23 – Tue 24 Nov", at("2026-11-23", "2026-11-24"), TUESDAY],
  ["had no time", BARE_KEEP, { ...BARE_KEEP, ...at("2026-11-24", "2026-11-24"), title: BARE_KEEP.title }],
  ["was Tue 24 Nov 16:00–17:00", TUESDAY, { ...TUESDAY, start_local: null, end_local: null }],
])("%s", (was, before, now) => {
  expect(describeDifference(before, now).time).toBe(was);
});

test.each<[others: readonly string[], before: Partial<LocalizedEvent>, now: Partial<LocalizedEvent>]>([
  [[], {}, { updated_at: "2026-11-24T00:00:00.000Z" }],
  [['was "Lunch"'], { title: "Lunch" }, { title: "Team lunch" }],
  [['was "(no title)"'], { title: null }, {}],
  [['was "(no title)"'], { title: " \u200b" }, {}],
  [["was at Room 1"], { location: "Room 1" }, { location: "Room 2" }],
  [["no longer at Room 1"], { location: "Room 1" }, { location: null }],
  [["place is new"], { location: "" }, { location: "Room 2" }],
  [
    ["Ana, Cy joined", "Ben left"],
    { attendees: [person("Ben"), person("Di")] },
    { attendees: [person("Ana"), person("Di"), person("Cy")] },
  ],
  [["A, B, C and 2 more joined"], { attendees: [] }, { attendees: ["A", "B", "C", "D", "E"].map(person) }],
  [["somebody left"], { attendees: [person(null)] }, { attendees: [] }],
  [["label was Visits"], { label: label(2, "Visits", "#e73b3b") }, { label: label(1, "", "#2ecc87") }],
  [["label changed"], { label: label(1, "", "#2ecc87") }, { label: label(2, "Visits", "#e73b3b") }],
  // Its name is not of the event.
  [[], { label: label(2, "Visits", "#e73b3b") }, { label: label(2, "Guests", "#e73b3b") }],
  [["link changed"], { url: null }, { url: "https://noodles.example" }],
  [["now a keep"], { category: "schedule" }, { category: "keep" }],
  [["repeats differently"], { recurrences: ["RRULE:FREQ=DAILY"] }, { recurrences: [] }],
  [["description changed"], { description: null }, { description: "Bring the photos." }],
  [["was at Room 1"], { description: "A", location: "Room 1" }, { description: "B", location: "Room 2" }],
  [
    ['was "Lunch"', "was at Noodle bar", "Ana, Ben, somebody left", "2 more changes"],
    { title: "Lunch" },
    { location: "Room 2", attendees: [], label: null, url: null },
  ],
  [[`was "${"a".repeat(39)}…"`], { title: "a".repeat(50) }, {}],
])("what differs beside the time: %j", (others, before, now) => {
  expect(describeDifference({ ...DINNER, ...before }, { ...DINNER, ...now })).toEqual({ time: "", others });
});

test("text of the calendar is made harmless", () => {
  const { others } = describeDifference(
    { ...DINNER, title: HOSTILE, location: HOSTILE, attendees: [person(HOSTILE)] },
    DINNER,
  );
  expect(others.join()).toMatch(/^was "[ -~]+","?was at [ -~]+joined,[ -~]+ left$/);
});
