import type { Event, Label, User } from "../../../contract/shapes.js";
import { type LocalizedEvent, localizeEvent } from "../../../src/events/localized-event.js";
import { addDays } from "../../../src/time/zoned-time.js";
import { BARE_KEEP } from "../../output/fixtures.js";

/** Events of a week in Berlin, from Saturday, 21 November 2026. */

export const ZONE = "Europe/Berlin";
/** Saturday 08:00 in Berlin. */
export const NOW = Date.parse("2026-11-21T07:00:00.000Z");
const WEEK = { first: "2026-11-21", last: "2026-11-27" } as const;

export const OPTIONS = {
  title: "This week",
  zone: ZONE,
  now: NOW,
  range: WEEK,
  showCalendar: false,
} as const;

/** Of a bot. */
export const PLACE = { chat: "1" } as const;

const CALENDAR_ID = "family";

/** An event with times as typed in Berlin: `2026-11-21T15:00`, or days. */
export function event(
  title: string | null,
  start: string,
  end: string,
  more: Partial<Event> = {},
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

/** Titles that try to be markup, to notify people, or to break a message. None is longer than the contract allows. */
export const HOSTILE_TITLES: readonly string[] = [
  "@everyone @here @all @channel",
  "<!channel> <!here> <!everyone|x> <@U1> <#C1>",
  "<at>Ana</at> <users/all> <@&1> <@!1> <t:1:R>",
  "*b* _i_ ~s~ `c` **B** ~~S~~ __U__ ||x||",
  "[x](https://evil.example) <https://evil.example|y>",
  "<b>b</b> <a href='javascript:x'>y</a> <script>",
  "&lt;b&gt; &amp; \\* %0a =?UTF-8?B?eA==?=",
  "a\r\nBcc: x@evil.example\r\n\r\nb",
  "# h > q - l 1. n | t | ``` $x$",
  "> quoted",
  "- item",
  "= sum",
  "https://evil.example/x www.evil.example",
  "/start #tag $CASH ~town-square :tada: @ana_b 1:2a:",
  ":+1: :100: :wave::skin-tone-2: :größe: 10:30:15 a:b snake_case",
  "👩‍👩‍👧‍👦".repeat(7),
  `a${"\u0301".repeat(49)}`,
  "\u202eevil\u2066 \u200f שלום مرحبا",
  "\u0000\u001b[31m\u009b\u0007",
  "]]> \" ' ` </main>",
  "仕事".repeat(25),
  "🇩🇪".repeat(25),
  "\ud83d lone \udc69",
];

/** 120 events of a week. Each title begins with a number that nothing else has: `E007`. */
export const HOSTILE_WEEK: readonly LocalizedEvent[] = Array.from({ length: 120 }, (_, index) => {
  const hostile = HOSTILE_TITLES[index % HOSTILE_TITLES.length] ?? "";
  const title = `${numberOf(index)} ${hostile}`;
  const day = addDays(WEEK.first, index % 7);
  const details = {
    id: `id-${index}`,
    location: hostile.repeat(2),
    description: hostile.repeat(40),
    url: index % 3 === 0 ? `https://a.example/${"(|)<>*_".repeat(20)}?n=${index}` : null,
    attendees: HOSTILE_TITLES.map(person),
    label: label(index % 10, hostile, "#3d9df5"),
  };
  if (index % 5 === 0) return event(title, day, day, details);
  return event(title, `${day}T09:00`, `${day}T${10 + (index % 10)}:30`, details);
});

export function numberOf(index: number): string {
  return `E${String(index).padStart(3, "0")}`;
}
