import type { Activity } from "../../contract/shapes.js";
import type { View } from "../view.js";

/** Comments on an event. */
export const activityView: View<Activity> = {
  noun: "comment",
  keys: {
    id: {},
    event_id: { header: "Event" },
    calendar_id: { header: "Calendar" },
    content: { header: "Comment", shrinkTo: 8, multiline: true },
    created_at: { header: "Created" },
    updated_at: { header: "Updated" },
  },
  tsv: ["id", "event_id", "content", "created_at"],
  table: ["created_at", "content", "id"],
  listing: ["content", "created_at", "event_id", "calendar_id", "id"],
  layout: "rows",
};
