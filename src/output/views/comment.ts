import type { Comment } from "../../contract/shapes.js";
import type { Rendering, View } from "../view.js";
import { userJson, userText, userView } from "./calendar.js";
import { activityView } from "./event.js";

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
  draw: async (rendering, canvas) =>
    isList(rendering) ? (await import("../table/comments.js")).drawComments(rendering, canvas) : null,
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
