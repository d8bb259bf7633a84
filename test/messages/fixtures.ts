import { type LocalizedEvent, localizeEvent } from "../../src/calendar/event-view.js";
import { addDays } from "../../src/calendar/zoned-time.js";
import type { CalendarEvent, Label, User } from "../../src/contract/shapes.js";
import { BARE_KEEP } from "../output/fixtures.js";

/** Events of a week in Berlin, from Saturday, 21 November 2026. */

export const ZONE = "Europe/Berlin";
/** Saturday 08:00 in Berlin. */
export const NOW = Date.parse("2026-11-21T07:00:00.000Z");
export const WEEK = { first: "2026-11-21", last: "2026-11-27" } as const;

export const OPTIONS = {
  title: "This week",
  zone: ZONE,
  now: NOW,
  range: WEEK,
  showCalendar: false,
} as const;

const CALENDAR_ID = "family";

/** An event with times as typed in Berlin: `2026-11-21T15:00`, or days. */
export function event(
  title: string | null,
  start: string,
  end: string,
  more: Partial<CalendarEvent> = {},
): LocalizedEvent {
  const isAllDay = start.length === 10;
  const at = (text: string) =>
    isAllDay ? `${text}T00:00:00.000Z` : new Date(`${text}:00+01:00`).toISOString();
  const times = { start_at: at(start), end_at: at(isAllDay ? addDays(end, 1) : end) };
  const zones = { start_timezone: isAllDay ? "UTC" : ZONE, end_timezone: isAllDay ? "UTC" : ZONE };
  const base = { ...BARE_KEEP, id: `id-${title}`, calendar_id: CALENDAR_ID, category: "schedule" };
  return localizeEvent({ ...base, title, all_day: isAllDay, ...times, ...zones, ...more }, ZONE, "Family");
}

export function label(number: number, name: string, color: string): Label {
  return { id: `${CALENDAR_ID},${number}`, number, name, color };
}

export function person(name: string | null): User {
  return { id: `${CALENDAR_ID},${name}`, type: "user", name, description: null, image_url: null };
}

export const DINNER = event("Dinner with the neighbors", "2026-11-21T19:00", "2026-11-21T21:30", {
  location: "Noodle bar",
  url: "https://noodles.example/tables?for=6&day=sat",
  attendees: [person("Ana"), person("Ben"), person(null)],
  description: "A table for six.\n\nBring the photos.",
  label: label(2, "Visits", "#e73b3b"),
});

export const EVENTS: readonly LocalizedEvent[] = [
  event("Grandma visits", "2026-11-20", "2026-11-22"),
  event("Swimming lesson", "2026-11-21T09:30", "2026-11-21T10:30", { location: "Municipal pool" }),
  DINNER,
  event("Night train", "2026-11-22T22:00", "2026-11-23T06:00"),
  event("Flight to London", "2026-11-24T10:00", "2026-11-24T12:00", { end_timezone: "Europe/London" }),
  event("Team call", "2026-11-25T08:00", "2026-11-25T09:00", {
    location: "https://meet.example/team?x=1&y=2",
  }),
  BARE_KEEP,
];
