import type { Activity, Comment } from "../../../contract/shapes.js";
import { userText } from "../../events/localized-event.js";
import { CREATOR, TIMESTAMPS } from "../../events/views/calendar.js";
import { describeInstant } from "../../events/views/event-when.js";
import { sanitizeBlock, sanitizeLine } from "../../output/sanitize.js";
import type { Clock, DrawOptions, Rendering, View } from "../../output/view.js";

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
    ...CREATOR,
  },
  table: ["created_at", "creator", "content", "id"],
  draw: (rendering, drawing) => (isList(rendering) ? drawComments(rendering, drawing) : null),
  formats: {
    async markdown(rendering) {
      const { escapeMarkdown, linesOf, renderMarkdown } = await import("../../output/formats/markdown.js");
      if (!isList(rendering)) return renderMarkdown(rendering);
      const blocks = rendering.values.map((comment) => {
        const { name, time } = describeAuthor(comment, rendering);
        const lines = linesOf({ text: comment.content ?? "" }).map((line) => `> ${line}`);
        return `**${escapeMarkdown(name)}** ${escapeMarkdown(time)}\n\n${lines.join("\\\n")}\n`;
      });
      return blocks.join("\n");
    },
  },
};

/** Whether whole comments are shown, not columns. */
function isList({ fields, single }: Rendering<Comment>): boolean {
  return fields === null && !single;
}

const INDENT = "  ";

/** Who wrote a comment, and when, in the chosen zone. Sanitized; empty for what is not known. */
function describeAuthor({ creator, created_at }: Comment, clock: Clock) {
  const time = created_at === null ? "" : sanitizeLine(describeInstant(created_at, clock));
  return { name: sanitizeLine(userText(creator)).trim() || "unknown", time };
}

/** Comments below each other: who and when, then the text, wrapped. */
async function drawComments(
  { values, ...clock }: Rendering<Comment>,
  { style, width }: DrawOptions,
): Promise<string> {
  const { wrapText } = await import("../../output/table/text-width.js");
  const blocks = values.map((comment) => {
    const { name, time } = describeAuthor(comment, clock);
    const text = sanitizeBlock(comment.content ?? "").trimEnd();
    const lines = wrapText(text, { width: width - INDENT.length, breakWords: true });
    return [`${style.bold(name)}${INDENT}${style.dim(time)}`, ...lines.map((line) => INDENT + line)];
  });
  return blocks.map((block) => block.map((line) => `${line.trimEnd()}\n`).join("")).join("\n");
}
