import { jsonPayload, type Payload } from "../../../delivery/target.js";
import { drawFitting, type Layout } from "../layout.js";
import { type Markup, markBody, replaceMarks } from "../markup.js";
import type { Message } from "../message.js";

/** Text of a message, counted in UTF-16 units, since the documentation says only "characters". */
export const GOOGLE_CHAT_LIMITS = { unit: "UTF-16 units", text: 4_000 } as const;

/**
 * Google Chat has no escape: the angle brackets of links and mentions, and the marks, are replaced by others.
 * @see https://developers.google.com/workspace/chat/format-messages
 */
const CHAT_MARKUP: Markup = {
  literal: (text) => replaceMarks(text.replace(/^- /, "– ").replaceAll("<", "‹").replaceAll(">", "›")),
  strong: (text) => `*${text}*`,
  struck: (text) => `~${text}~`,
  link: (text, url) => `<${url}|${CHAT_MARKUP.literal(text).replaceAll("|", "ǀ")}>`,
  bullet: "• ",
  indent: "    ",
};

/** One text in the markup of Google Chat. */
export function renderGoogleChat(message: Message): Payload {
  return jsonPayload({ text: drawFitting(message, { draw: drawText, fits }) });
}

function drawText(layout: Layout): string {
  const named = layout.mentions.map((who) => ` <${who}>`).join("");
  return `${CHAT_MARKUP.strong(CHAT_MARKUP.literal(layout.title))}${named}\n\n${markBody(layout, CHAT_MARKUP)}`;
}

function fits(text: string): boolean {
  return text.length <= GOOGLE_CHAT_LIMITS.text;
}
