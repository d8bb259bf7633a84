import type { LocalizedEvent } from "../../calendar/event-view.js";
import type { Activity } from "../../contract/shapes.js";
import { describeInstant, describeWhen, type WhenOptions } from "../event-when.js";
import type { Cell, TableColumn, View } from "../view.js";
import { labelCell, labelJson, labelText, userJson, userText } from "./calendar.js";
import { createDayFormats, isOfSeveralCalendars } from "./day-formats.js";

function whenColumn(options: WhenOptions): TableColumn<LocalizedEvent> {
  return { header: "When", cell: (event) => ({ text: describeWhen(event, options) }) };
}

const CALENDAR: TableColumn<LocalizedEvent> = {
  header: "Calendar",
  cell: ({ calendar_id, calendar_name }) => ({ text: calendar_name || calendar_id }),
};

const CALENDAR_IF_SEVERAL: TableColumn<LocalizedEvent> = {
  ...CALENDAR,
  isShown: isOfSeveralCalendars,
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
    url: { cell: ({ url }) => ({ text: url ?? "", url }) },
    created_at: { header: "Created", cell: ({ created_at }, zone) => instantCell(created_at, zone) },
    updated_at: { header: "Updated", cell: ({ updated_at }, zone) => instantCell(updated_at, zone) },
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
  formats: createDayFormats({}),
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
    created_at: { header: "Created", cell: ({ created_at }, zone) => instantCell(created_at, zone) },
    updated_at: { header: "Updated", cell: ({ updated_at }, zone) => instantCell(updated_at, zone) },
  },
  tsv: ["id", "event_id", "content", "created_at"],
  table: ["created_at", "content", "id"],
  detail: ["content", "created_at", "event_id", "calendar_id", "id"],
};

/** When something was written, in the chosen zone. */
function instantCell(text: string | null, zone: () => string): Cell {
  return { text: text === null ? "" : describeInstant(text, zone()) };
}
