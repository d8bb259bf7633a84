import { jsonPayload, type Payload } from "../../../delivery/target.js";
import { escapeMarkdown } from "../../../output/formats/markdown.js";
import { ZERO_WIDTH_SPACE } from "../../../output/sanitize.js";
import { drawFitting, type Layout } from "../layout.js";
import { type Markup, markBody } from "../markup.js";
import type { Message } from "../message.js";
import { textLength } from "../text-length.js";

/** Text of a post, in code points. */
export const MATTERMOST_LIMITS = { unit: "code points", text: 16_383 } as const;

/** What links to a channel (`~name`) or a search (`#name`), or becomes an emoji (`:name:`), whatever is escaped. */
const SHORTHAND = /~(?=[a-z\d])|#(?=[\p{L}\d])|:(?=[\d_+-]*[a-z][\w+-]*:)/giu;

/** Marks whose escapes are shown with their backslash, while entities are read. */
const ENTITIES: Readonly<Record<string, string>> = {
  "\\:": "&#58;",
  "\\&": "&amp;",
  "\\<": "&lt;",
  "\\$": "&#36;",
  "\\=": "&#61;",
};

/** @see https://docs.mattermost.com/end-user-guide/collaborate/format-messages.html */
const MATTERMOST_MARKUP: Markup = {
  literal: (text) =>
    escapeMarkdown(text)
      .replace(SHORTHAND, `$&${ZERO_WIDTH_SPACE}`)
      .replace(/\\./g, (escaped) => ENTITIES[escaped] ?? escaped),
  strong: (text) => `**${text}**`,
  struck: (text) => `~~${text}~~`,
  link: (text, url) => `[${MATTERMOST_MARKUP.literal(text)}](${url})`,
  bullet: "- ",
  indent: "  ",
};

/** One text of Markdown. */
export function renderMattermost(message: Message): Payload {
  return jsonPayload({ text: drawFitting(message, { draw: drawText, fits }) });
}

function drawText(layout: Layout): string {
  const named = layout.mentions.length === 0 ? "" : `${layout.mentions.join(" ")}\n\n`;
  return `#### ${MATTERMOST_MARKUP.literal(layout.title)}\n\n${named}${markBody(layout, MATTERMOST_MARKUP)}`;
}

function fits(text: string): boolean {
  return textLength(text, MATTERMOST_LIMITS.unit) <= MATTERMOST_LIMITS.text;
}
