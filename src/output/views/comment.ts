import type { Activity, Comment } from "../../../contract/shapes.js";
import type { Rendering, View } from "../view.js";
import { userJson, userText, userView } from "./calendar.js";
import { TIMESTAMPS } from "./event.js";

/** One comment, as the service answers it when it is written. */
export const activityView: View<Activity> = {
  noun: "comment",
  shape: "activity",
  keys: {
    id: { type: "string" },
    event_id: { type: "string", header: "Event" },
    calendar_id: { type: "string", header: "Calendar" },
    content: { type: "string?", header: "Comment", minWidth: 8, multiline: true },
    ...TIMESTAMPS,
  },
  tsv: ["id", "event_id", "content", "created_at"],
  table: ["created_at", "content", "id"],
  detail: ["content", "created_at", "event_id", "id"],
};

/** The comments on an event, by their authors: one after the other, for reading. */
export const commentView: View<Comment> = {
  ...activityView,
  shape: "comment",
  keys: {
    ...activityView.keys,
    creator: {
      type: { object: userView, nullable: true },
      json: ({ creator }) => userJson(creator),
      text: ({ creator }) => userText(creator),
      minWidth: 8,
    },
  },
  table: ["created_at", "creator", "content", "id"],
  draw: async (rendering, drawing) =>
    isList(rendering) ? (await import("../table/comments.js")).drawComments(rendering, drawing) : null,
  formats: {
    async markdown(rendering) {
      const { renderCommentsAsMarkdown, renderMarkdown } = await import("../formats/markdown.js");
      return isList(rendering) ? renderCommentsAsMarkdown(rendering) : renderMarkdown(rendering);
    },
  },
};

/** Whether whole comments are shown, not columns. */
function isList({ fields, single }: Rendering<Comment>): boolean {
  return fields === null && !single;
}
