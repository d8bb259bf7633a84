import type { LocalizedEvent } from "../../calendar/event-view.js";
import { DAY_MS } from "../../contract/date-time.js";
import type { Activity } from "../../contract/shapes.js";
import type { TableColumn, View } from "../view.js";
import { labelCell, labelJson, labelText, userJson, userText } from "./calendar.js";

function whenColumn(options: WhenOptions): TableColumn<LocalizedEvent> {
  return { header: "When", cell: (event) => ({ text: describeWhen(event, options) }) };
}

const CALENDAR: TableColumn<LocalizedEvent> = {
  header: "Calendar",
  cell: ({ calendar_id, calendar_name }) => ({ text: calendar_name || calendar_id }),
};

const CALENDAR_IF_SEVERAL: TableColumn<LocalizedEvent> = {
  ...CALENDAR,
  isShown: (events) => new Set(events.map(({ calendar_id }) => calendar_id)).size > 1,
};

/** Events, with their times in the zone that the user chose. */
export const eventView: View<LocalizedEvent> = {
  noun: "event",
  keys: {
    id: {},
    calendar_id: {},
    calendar_name: { header: "Calendar", minWidth: 8 },
    category: {},
    title: { minWidth: 8 },
    all_day: {},
    start_at: {},
    start_timezone: {},
    end_at: {},
    end_timezone: {},
    start_local: {},
    end_local: {},
    recurrences: { header: "Repeats", minWidth: 8 },
    description: { minWidth: 8, multiline: true },
    location: { minWidth: 8 },
    url: {},
    created_at: { header: "Created" },
    updated_at: { header: "Updated" },
    creator: {
      json: ({ creator }) => userJson(creator),
      text: ({ creator }) => userText(creator),
      minWidth: 8,
    },
    label: {
      json: ({ label }) => labelJson(label),
      text: ({ label }) => labelText(label),
      cell: ({ label }) => labelCell(label),
      minWidth: 3,
      shrinksFirst: true,
    },
    attendees: {
      json: ({ attendees }) => attendees.map(userJson),
      text: ({ attendees }) => attendees.map(userText).join(", "),
      minWidth: 8,
    },
  },
  tsv: ["id", "calendar_id", "start_local", "end_local", "all_day", "category", "label", "title", "location"],
  table: [whenColumn({ year: false }), "title", "label", CALENDAR_IF_SEVERAL, "id"],
  detail: [
    "title",
    whenColumn({ year: true }),
    "recurrences",
    "category",
    "label",
    "location",
    "url",
    "description",
    "attendees",
    "creator",
    "created_at",
    "updated_at",
    CALENDAR,
    "id",
  ],
};

/** Events of several calendars: a table always has the column Calendar. */
export const severalCalendarsView: View<LocalizedEvent> = {
  ...eventView,
  table: [whenColumn({ year: false }), "title", "label", CALENDAR, "id"],
};

export interface Deleted {
  /** Ids of the deleted events. */
  readonly deleted: readonly string[];
}

/** The result of `events delete`: JSON only, tables and tsv are empty. */
export const deletedView: View<Deleted> = { noun: "deletion", keys: { deleted: {} }, tsv: [] };

/** Comments on an event. */
export const activityView: View<Activity> = {
  noun: "comment",
  keys: {
    id: {},
    event_id: { header: "Event" },
    calendar_id: { header: "Calendar" },
    content: { header: "Comment", minWidth: 8, multiline: true },
    created_at: { header: "Created" },
    updated_at: { header: "Updated" },
  },
  tsv: ["id", "event_id", "content", "created_at"],
  table: ["created_at", "content", "id"],
  detail: ["content", "created_at", "event_id", "calendar_id", "id"],
};

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** Number of following days for which a weekday is enough to name the day. */
const WEEK_DAYS = 6;

export interface WhenOptions {
  /** Whether the year is always shown; otherwise only when start and end are in different years. */
  readonly year: boolean;
}

/** A day in the chosen zone, with a time of day unless it is a whole day. */
interface DisplayTime {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly weekday: string;
  readonly date: number;
  readonly month: string;
  readonly year: number;
  /** `HH:mm` */
  readonly time: string | null;
}

/**
 * When an event takes place, for reading: `Sat 21 Nov 15:00–16:00`, `Sat 21 Nov  all day`, `Sat 21 – Sun 22 Nov`,
 * `Sat 21 Nov 22:00 – Sun 02:00`. Empty for a keep without times.
 */
export function describeWhen(
  { start_local, end_local }: Pick<LocalizedEvent, "start_local" | "end_local">,
  options: WhenOptions,
): string {
  const start = readLocal(start_local);
  const end = readLocal(end_local);
  if (start === null) return start_local ?? "";
  const hasEnd = end !== null && end_local !== start_local;
  if (start.time === null) {
    return hasEnd ? describeDays(start, end, options) : `${dayText(start, options)}  all day`;
  }
  const from = `${dayText(start, options)} ${start.time}`;
  if (!hasEnd || end.time === null) return from;
  const days = end.day - start.day;
  if (days === 0) return `${from}–${end.time}`;
  if (days > 0 && days <= WEEK_DAYS) return `${from} – ${end.weekday} ${end.time}`;
  const years = { year: options.year || start.year !== end.year };
  return `${dayText(start, years)} ${start.time} – ${dayText(end, years)} ${end.time}`;
}

function describeDays(first: DisplayTime, last: DisplayTime, options: WhenOptions): string {
  if (first.year !== last.year) return `${dayText(first, { year: true })} – ${dayText(last, { year: true })}`;
  const from =
    first.month === last.month ? `${first.weekday} ${first.date}` : dayText(first, { year: false });
  return `${from} – ${dayText(last, options)}`;
}

function dayText({ weekday, date, month, year }: DisplayTime, options: WhenOptions): string {
  return `${weekday} ${date} ${month}${options.year ? ` ${year}` : ""}`;
}

function readLocal(text: string | null): DisplayTime | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2}))?/.exec(text ?? "");
  if (match === null) return null;
  const [, year, month, date, time = null] = match;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(date));
  return {
    day: midnight / DAY_MS,
    weekday: WEEKDAYS[new Date(midnight).getUTCDay()] ?? "",
    date: Number(date),
    month: MONTHS[Number(month) - 1] ?? "",
    year: Number(year),
    time,
  };
}
