import type { Calendar } from "../../contract/shapes.js";
import type { View } from "../view.js";
import { labelJson, labelText, userJson, userText } from "./related.js";

/** The calendars of the user. */
export const calendarView: View<Calendar> = {
  noun: "calendar",
  keys: {
    id: {},
    name: { shrinkTo: 8, cell: ({ name, color }) => ({ text: name ?? "", dot: color }) },
    description: { shrinkTo: 8, multiline: true },
    color: { shrinkTo: 7 },
    order: {},
    image_url: { header: "Image" },
    created_at: { header: "Created" },
    labels: {
      json: ({ labels }) => labels.map(labelJson),
      text: ({ labels }) => labels.map(labelText).join(", "),
      shrinkTo: 8,
    },
    members: {
      json: ({ members }) => members.map(userJson),
      text: ({ members }) => members.map(userText).join(", "),
      shrinkTo: 8,
    },
  },
  tsv: ["id", "name", "color", "order", "description"],
  table: ["name", "description", "id"],
  listing: ["name", "description", "color", "labels", "members", "image_url", "created_at", "id"],
  layout: "rows",
};
