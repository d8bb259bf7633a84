import type { Activity, Calendar, Label, User } from "../../contract/shapes.js";
import { type LocalizedEvent, localizeEvent } from "../../src/events/localized-event.js";

/** Values as a service may send them: names in several scripts, and hostile text. */

const CALENDAR_ID = "AbC-dEf_GhIj";

/** Turns the terminal red, reverses what follows, and pretends to be two cells and two lines. */
export const HOSTILE = "a\u001b[31mb\u202ec\td\ne\\f";

export const DEFAULT_LABEL: Label = { id: `${CALENDAR_ID},1`, number: 1, name: "", color: "#2ecc87" };
export const WORK_LABEL: Label = { id: `${CALENDAR_ID},6`, number: 6, name: "仕事", color: "#e73b3b" };
export const HOSTILE_LABEL: Label = {
  id: `${CALENDAR_ID},9`,
  number: 9,
  name: HOSTILE,
  color: "red\u001b[0m",
};
export const UNKNOWN_LABEL: Label = { id: `${CALENDAR_ID},x`, number: null, name: null, color: null };

export const MEMBER: User = {
  id: `${CALENDAR_ID},9007199254740993`,
  type: "user",
  name: "👩‍💻 経理",
  description: "First line\nsecond line",
  image_url: "https://images.example/1.png",
};
export const NAMELESS: User = {
  id: `${CALENDAR_ID},2`,
  type: "application",
  name: null,
  description: null,
  image_url: null,
};
export const HOSTILE_MEMBER: User = { ...NAMELESS, id: `${CALENDAR_ID},3`, type: "user", name: HOSTILE };

export const CALENDAR: Calendar = {
  id: CALENDAR_ID,
  name: "Family 👨‍👩‍👧‍👦",
  description: "Everything that all of us have to know, and some things that only a few of us want to know",
  color: "#47b2f7",
  order: 0,
  image_url: "",
  created_at: "2026-01-02T03:04:05.678Z",
  labels: [DEFAULT_LABEL, WORK_LABEL],
  members: [MEMBER, NAMELESS],
};
export const HOSTILE_CALENDAR: Calendar = {
  ...CALENDAR,
  id: "-_x",
  name: HOSTILE,
  description: null,
  color: null,
  order: null,
  image_url: null,
  labels: [],
  members: [],
};

export const EVENT: LocalizedEvent = {
  id: "0123456789abcdef0123456789abcdef",
  calendar_id: CALENDAR_ID,
  calendar_name: "Family",
  category: "schedule",
  title: "Parents' evening at the school by the river",
  all_day: false,
  start_at: "2026-11-21T06:00:00.000Z",
  start_timezone: "Asia/Tokyo",
  end_at: "2026-11-21T07:00:00.000Z",
  end_timezone: "Asia/Tokyo",
  start_local: "2026-11-21T15:00:00+09:00",
  end_local: "2026-11-21T16:00:00+09:00",
  recurrences: ["RRULE:FREQ=WEEKLY"],
  description: "Bring:\r\n\t- the report\r\n\t- 質問のリストを忘れずに持ってきてください。時間は三十分です。",
  location: "Room 12",
  url: "https://school.example/parents/evening?year=2026&class=4b",
  created_at: "2026-10-01T00:00:00.000Z",
  updated_at: "2026-10-02T00:00:00.000Z",
  creator: MEMBER,
  label: DEFAULT_LABEL,
  attendees: [MEMBER, NAMELESS],
  series_id: null,
};
export const ALL_DAY_EVENT: LocalizedEvent = {
  ...EVENT,
  id: "1123456789abcdef0123456789abcdef",
  title: "🎉 文化祭、来場者の皆さまへのご案内",
  all_day: true,
  start_at: "2026-11-21T00:00:00.000Z",
  end_at: "2026-11-23T00:00:00.000Z",
  start_local: "2026-11-21",
  end_local: "2026-11-22",
  label: WORK_LABEL,
  location: null,
  series_id: "fedcba9876543210fedcba9876543210",
};
export const HOSTILE_EVENT: LocalizedEvent = {
  ...EVENT,
  id: "2123456789abcdef0123456789abcdef",
  calendar_name: HOSTILE,
  title: HOSTILE,
  description: HOSTILE,
  location: HOSTILE,
  start_local: "2026-11-21T22:00:00+09:00",
  end_local: "2026-11-22T02:00:00+09:00",
  label: HOSTILE_LABEL,
};
export const BARE_KEEP: LocalizedEvent = {
  id: "3123456789abcdef0123456789abcdef",
  calendar_id: CALENDAR_ID,
  calendar_name: null,
  category: "keep",
  title: "Someday",
  all_day: null,
  start_at: null,
  start_timezone: null,
  end_at: null,
  end_timezone: null,
  start_local: null,
  end_local: null,
  recurrences: [],
  description: null,
  location: null,
  url: null,
  created_at: null,
  updated_at: null,
  creator: null,
  label: null,
  attendees: [],
  series_id: null,
};

export const ACTIVITY: Activity = {
  id: "c1",
  event_id: EVENT.id,
  calendar_id: CALENDAR_ID,
  content: `See you there 👋\n${HOSTILE}`,
  created_at: "2026-11-01T00:00:00.000Z",
  updated_at: "2026-11-01T00:00:00.000Z",
};

/** A profile that is signed in. */
export const STATUS = {
  profile: "work",
  base_url: "https://calendars.example",
  token_source: "CALCTL_TOKEN",
  signed_in: true,
  user: MEMBER,
  rate_limit: { limit: 600, remaining: 598, reset_at: "2026-11-21T06:00:00.000Z" },
  clock_skew_seconds: -2,
};

/** A timed event in a zone. @param start UTC */
export function timed(start: string, hours: number, zone: string): LocalizedEvent {
  const end = new Date(Date.parse(start) + hours * 3_600_000).toISOString();
  const times = { start_at: start, start_timezone: zone, end_at: end, end_timezone: zone };
  return localizeEvent({ ...EVENT, id: start, recurrences: [], ...times }, zone, null);
}

export const CHANGING_ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];

/** Every three hours around both clock changes of a zone, and once a month. */
export function timesAroundChanges(): readonly string[] {
  const around = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"];
  const hours = around.flatMap((day) =>
    Array.from({ length: 16 }, (_, index) => Date.parse(`${day}T00:00:00.000Z`) + (index - 4) * 10_800_000),
  );
  return hours.map((time) => new Date(time).toISOString());
}
