import type { Comment } from "../../../contract/shapes.js";
import { describeInstant } from "../event-when.js";
import { sanitizeBlock, sanitizeLine } from "../sanitize.js";
import type { DrawOptions, Rendering } from "../view.js";
import { userText } from "../views/calendar.js";
import { wrapText } from "./text-width.js";

const INDENT = "  ";

/** Who wrote a comment, and when, in the chosen zone. Sanitized; empty for what is not known. */
export function describeAuthor({ creator, created_at }: Comment, zone: string) {
  const time = created_at === null ? "" : sanitizeLine(describeInstant(created_at, zone));
  return { name: sanitizeLine(userText(creator)).trim() || "unknown", time };
}

/** Comments below each other: who and when, then the text, wrapped. */
export function drawComments({ values, zone }: Rendering<Comment>, { style, width }: DrawOptions): string {
  const blocks = values.map((comment) => {
    const { name, time } = describeAuthor(comment, zone());
    const text = sanitizeBlock(comment.content ?? "").trimEnd();
    const lines = wrapText(text, { width: width - INDENT.length, breakWords: true });
    return [`${style.bold(name)}${INDENT}${style.dim(time)}`, ...lines.map((line) => INDENT + line)];
  });
  return blocks.map((block) => block.map((line) => `${line.trimEnd()}\n`).join("")).join("\n");
}
