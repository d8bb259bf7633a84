import { jsonPayload, type Payload, type TargetPlace } from "../../../delivery/target.js";
import { ZERO_WIDTH_SPACE } from "../../../output/sanitize.js";
import { drawFitting, type Layout } from "../layout.js";
import { escapeEntities, type Markup, markBody, PLAIN_TEXT } from "../markup.js";
import type { Message } from "../message.js";

/** Text of a message once its markup is read, in UTF-16 units. @see https://core.telegram.org/bots/api#sendmessage */
export const TELEGRAM_LIMITS = { unit: "UTF-16 units", text: 4_096 } as const;

/** Mentions, hashtags, cashtags and commands, which are links although nothing marks them. */
const SHORTHAND = /[@#$](?=[\p{L}\p{N}_])|(?<![\p{L}\p{N}/])\/(?=[a-z])/giu;

/** @see https://core.telegram.org/bots/api#html-style */
const TELEGRAM_HTML: Markup = {
  literal: (text) => escapeEntities(defuse(text)),
  strong: (text) => `<b>${text}</b>`,
  struck: (text) => `<s>${text}</s>`,
  link: (text, url) => `<a href="${escapeEntities(url)}">${TELEGRAM_HTML.literal(text)}</a>`,
  bullet: "• ",
  indent: "    ",
};

/** The same without markup: what the limit counts. */
const TELEGRAM_TEXT: Markup = { ...PLAIN_TEXT, literal: defuse, link: defuse, indent: "    " };

function defuse(text: string): string {
  return text.replace(SHORTHAND, `$&${ZERO_WIDTH_SPACE}`);
}

/** One text of HTML, with the links of a reminder as buttons. */
export function renderTelegram(message: Message, { chat, topic }: TargetPlace): Payload {
  const { html } = drawFitting(message, { draw: drawText, fits });
  const { buttons = [] } = message;
  return jsonPayload({
    chat_id: chat,
    ...(topic !== undefined && { message_thread_id: Number(topic) }),
    text: html,
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
    ...(buttons.length > 0 && { reply_markup: { inline_keyboard: buttons.map((button) => [button]) } }),
  });
}

interface TelegramText {
  readonly html: string;
  readonly plain: string;
}

function drawText(layout: Layout): TelegramText {
  return { html: drawWith(layout, TELEGRAM_HTML), plain: drawWith(layout, TELEGRAM_TEXT) };
}

function drawWith(layout: Layout, markup: Markup): string {
  const named = layout.mentions.map((id) => ` ${markup.link?.(id, `tg://user?id=${id}`)}`).join("");
  return `${markup.strong(markup.literal(layout.title))}${named}\n\n${markBody(layout, markup)}`;
}

function fits({ plain }: TelegramText): boolean {
  return plain.length <= TELEGRAM_LIMITS.text;
}
