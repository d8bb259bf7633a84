import type { Calendar, Label, User } from "../../../contract/shapes.js";
import { type Cell, type Clock, jsonObject, type View } from "../../output/view.js";
import { labelText, userText } from "../localized-event.js";
import { DEFAULT_LABEL_NAME } from "../names.js";
import { describeInstant } from "./event-when.js";

/** What `calctl schema` says about an instant. */
export const INSTANT = "UTC, YYYY-MM-DDTHH:mm:ss.sssZ";

/** An instant of the wire in the chosen zone. */
function instantCell(text: string | null, clock: Clock): Cell {
  return { text: text === null ? "" : describeInstant(text, clock) };
}

export const CREATED: View<{ readonly created_at: string | null }>["keys"] = {
  created_at: {
    type: "string?",
    about: INSTANT,
    header: "Created",
    cell: ({ created_at }, clock) => instantCell(created_at, clock),
  },
};

/** When something was created and updated, shown in the chosen zone. */
export const TIMESTAMPS: typeof CREATED & View<{ readonly updated_at: string | null }>["keys"] = {
  ...CREATED,
  updated_at: {
    type: "string?",
    about: INSTANT,
    header: "Updated",
    cell: ({ updated_at }, clock) => instantCell(updated_at, clock),
  },
};

/** The JSON of a related object. It is made once, since the events of a list share few labels and users. */
function createRelatedJson<T extends object>(view: View<T>): (value: T | null) => unknown {
  const made = new WeakMap<T, unknown>();
  return (value) => {
    if (value === null) return null;
    const json = made.get(value) ?? jsonObject(view, value);
    made.set(value, json);
    return json;
  };
}

/** The labels of a calendar. */
export const labelView: View<Label> = {
  noun: "label",
  shape: "label",
  keys: {
    id: { type: "string", about: "composite: the calendar's id, a comma, the label's own" },
    number: { type: "integer?", about: "1 is the default label" },
    name: {
      type: "string?",
      about: "empty for the default label, which is shown as default",
      minWidth: 8,
      cell: (label) => ({
        text: label.name || (label.number === 1 ? DEFAULT_LABEL_NAME : ""),
        color: label.color,
      }),
    },
    color: { type: "string?", about: "#RRGGBB", minWidth: 7 },
  },
  tsv: ["id", "number", "name", "color"],
  table: ["number", "name", "color", "id"],
};

/** A label inside another object. */
export const labelJson = createRelatedJson(labelView);

/** The current user and the members of a calendar. */
export const userView: View<User> = {
  noun: "user",
  shape: "user",
  keys: {
    id: { type: "string", about: "composite inside a calendar: the calendar's id, a comma, the user's own" },
    type: { type: "string", about: "user or application" },
    name: { type: "string?", minWidth: 8 },
    description: { type: "string?", minWidth: 8, multiline: true },
    image_url: { type: "string?", header: "Image" },
  },
  tsv: ["id", "name", "description"],
  table: ["name", "description", "id"],
  detail: ["name", "type", "description", "image_url", "id"],
};

/** A user inside another object. */
export const userJson = createRelatedJson(userView);

export const CREATOR: View<{ readonly creator: User | null }>["keys"] = {
  creator: {
    type: { object: userView, nullable: true },
    json: ({ creator }) => userJson(creator),
    text: ({ creator }) => userText(creator),
    minWidth: 8,
  },
};

/** The calendars of the user. */
export const calendarView: View<Calendar> = {
  noun: "calendar",
  shape: "calendar",
  keys: {
    id: { type: "string" },
    name: { type: "string?", minWidth: 8, cell: ({ name, color }) => ({ text: name ?? "", color }) },
    description: { type: "string?", minWidth: 8, multiline: true },
    color: { type: "string?", about: "#RRGGBB", minWidth: 7 },
    order: { type: "number?" },
    image_url: { type: "string?", header: "Image" },
    ...CREATED,
    labels: {
      type: { list: labelView },
      json: ({ labels }) => labels.map(labelJson),
      text: ({ labels }) => labels.map(labelText).join(", "),
      minWidth: 8,
    },
    members: {
      type: { list: userView },
      json: ({ members }) => members.map(userJson),
      text: ({ members }) => members.map(userText).join(", "),
      minWidth: 8,
    },
  },
  tsv: ["id", "name", "color", "order", "description"],
  table: ["name", "description", "id"],
  detail: ["name", "description", "color", "labels", "members", "image_url", "created_at", "id"],
};
