import type { LocalizedEvent } from "../../calendar/event-view.js";
import type { Activity } from "../../contract/shapes.js";
import type { TableColumn, View } from "../view.js";
import { labelCell, labelJson, labelText, userJson, userText } from "./calendar.js";
import { describeWhen } from "./event-when.js";

const WHEN: TableColumn<LocalizedEvent> = {
  header: "When",
  cell: (event) => ({ text: describeWhen(event, { year: false }) }),
};

const WHEN_WITH_YEAR: TableColumn<LocalizedEvent> = {
  header: "When",
  cell: (event) => ({ text: describeWhen(event, { year: true }) }),
};

const CALENDAR_IF_SEVERAL: TableColumn<LocalizedEvent> = {
  header: "Calendar",
  cell: ({ calendar_id }) => ({ text: calendar_id }),
  isShown: (events) => new Set(events.map(({ calendar_id }) => calendar_id)).size > 1,
};

/** Events, with their times in the zone that the user chose. */
export const eventView: View<LocalizedEvent> = {
  noun: "event",
  keys: {
    id: {},
    calendar_id: { header: "Calendar" },
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
  table: [WHEN, "title", "label", CALENDAR_IF_SEVERAL, "id"],
  detail: [
    "title",
    WHEN_WITH_YEAR,
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
    "calendar_id",
    "id",
  ],
};

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
