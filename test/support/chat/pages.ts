import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import * as v from "valibot";
import { html, type Markup } from "../../../src/html/page.js";
import {
  Discord,
  GoogleChat,
  Mattermost,
  NtfyActions,
  type SentPayload,
  Slack,
  Teams,
  Telegram,
  type TextRun,
} from "./checks.js";
import { decodeWords } from "./encoded-words.js";
import type { ChatKind } from "./services.js";
import { readTelegramHtml } from "./telegram-html.js";

/** Shows messages as the platforms do: their markup is read, so that what is not escaped is seen. */

export interface ChatPage {
  /** A whole document. */
  readonly html: string;
  /** Whom the message would notify, and what else would become a link without being marked as one. */
  readonly mentions: readonly string[];
}

/** @param payload one that the checks take */
export function showMessage(kind: ChatKind, payload: SentPayload): ChatPage {
  const { body, mentions } = SHOWS[kind](payload);
  return { html: documentOf(kind, body), mentions };
}

interface Shown {
  readonly body: string;
  readonly mentions: readonly string[];
}

const SHOWS: Readonly<Record<ChatKind, (payload: SentPayload) => Shown>> = {
  slack: (payload) => showSlack(v.parse(Slack, JSON.parse(payload.body))),
  discord: showDiscord,
  teams: showTeams,
  mattermost: showMattermost,
  telegram: showTelegram,
  googlechat: showGoogleChat,
  ntfy: showNtfy,
  json: ({ body }) => ({
    body: html`<pre>${{ html: escapeLines(JSON.stringify(JSON.parse(body), null, 2)) }}</pre>`.html,
    mentions: [],
  }),
};

const MATTERMOST_NAMES =
  /@[a-z][\w.-]*|(?<![\p{L}\d~])~[a-z][a-z\d_-]*|(?<![\p{L}\d#])#\p{L}[\p{L}\d_-]+|:[\w+-]*[a-z][\w+-]*:/giu;
const TELEGRAM_NAMES = /@[a-z]\w{2,}|[#$][\p{L}\p{N}_]+|(?<![\p{L}\p{N}/<])\/[a-z]\w*/giu;
const DISCORD_NAMES =
  /@(?:everyone|here)|(?<!\\)<(?:@[!&]?|#|a?:\w+:|t:)\d+[^>]*>|(?<!\\):[\w+-]*[a-z][\w+-]*:/gi;
const SLACK_NAMES = /<(?:!(?!date\^)|[@#])[^>]*>/g;

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return text.match(pattern) ?? [];
}

function showSlack({ text, blocks }: v.InferOutput<typeof Slack>): Shown {
  const shown = blocks.map((block) => {
    if (block.type === "header") return html`<h1>${block.text.text}</h1>`.html;
    if (block.type === "actions") return buttonsOf(block.elements.map(({ text, url }) => [text.text, url]));
    if (block.type === "section") return `<p>${mrkdwn(block.text.text)}</p>`;
    return `<small>${block.elements.map((part) => `<p>${mrkdwn(part.text)}</p>`).join("")}</small>`;
  });
  const texts = blocks.flatMap((block) => {
    if (block.type === "actions") return [];
    return block.type === "context" ? block.elements : [block.text];
  });
  const marked = texts.filter(({ type }) => type === "mrkdwn");
  const mentions = [text, ...marked.map((part) => part.text)].flatMap((part) => namesIn(part, SLACK_NAMES));
  return { body: shown.join(""), mentions };
}

function showMattermost({ body }: SentPayload): Shown {
  const { text } = v.parse(Mattermost, JSON.parse(body));
  return { body: markdown(withShownBackslashes(text)), mentions: namesIn(text, MATTERMOST_NAMES) };
}

/** Its parser undoes the escapes of these characters alone: a backslash before any other is shown. */
const MATTERMOST_ESCAPED = /[\\`*{}[\]()#+.!_>~|-]/;

function withShownBackslashes(text: string): string {
  return text.replace(/\\([\s\S])/g, (pair, escaped: string) =>
    MATTERMOST_ESCAPED.test(escaped) ? pair : `\\${pair}`,
  );
}

function showGoogleChat({ body }: SentPayload): Shown {
  const { text } = v.parse(GoogleChat, JSON.parse(body));
  return { body: chatMarkup(text), mentions: namesIn(text, /<users\/[^>]+>/g) };
}

/** Slack's mrkdwn, whose text has its entities already. */
function mrkdwn(text: string): string {
  return quoted(marked(text.replace(/<([^>|]+)\|([^>]*)>/g, '<a href="$1">$2</a>'))).replaceAll("\n", "<br>");
}

/** Google Chat's, which has no entities. */
function chatMarkup(text: string): string {
  const links = text.split(/(<https?:[^>|]+\|[^>]*>|<mailto:[^>|]+\|[^>]*>)/).map((part) => {
    const [, url, label] = /^<([^>|]+)\|([^>]*)>$/.exec(part) ?? [];
    return url === undefined
      ? html`${part.replaceAll("\n", LINE)}`.html
      : html`<a href="${url}">${label ?? ""}</a>`.html;
  });
  const items = links
    .join("")
    .replaceAll(LINE, "\n")
    .replace(/^(?:\*|-) (.*)$/gm, "<li>$1</li>");
  return marked(items).replaceAll("\n", "<br>");
}

/** Survives the escaping of control characters. */
const LINE = "\ue000";

/** Marks around text, at the edges of words. What is between `<` and `>` is not text. */
function marked(text: string): string {
  const edges = (mark: string, tag: string) => (line: string) =>
    line.replace(
      new RegExp(
        `(^|[\\s\\p{P}>])${mark}(?=\\S)((?:(?!${mark})[^\\n])*?\\S)${mark}(?=$|[\\s\\p{P}<])`,
        "gmu",
      ),
      `$1<${tag}>$2</${tag}>`,
    );
  const parts = text.split(/(<[^>]*>)/);
  const whole = parts
    .map((part) => (part.startsWith("<") ? part.replace(/[*_~`]/g, encodeMark) : part))
    .join("");
  return [edges("\\*", "b"), edges("_", "i"), edges("~", "s"), edges("`", "code")]
    .reduce((line, apply) => apply(line), whole)
    .replace(/%MARK(\d+)%/g, (_, code) => String.fromCharCode(Number(code)));
}

function encodeMark(mark: string): string {
  return `%MARK${mark.charCodeAt(0)}%`;
}

/** A quotation begins with an escaped angle bracket. */
function quoted(text: string): string {
  return text.replace(/^&gt; ?(.*)$/gm, "<blockquote>$1</blockquote>");
}

function showDiscord({ body }: SentPayload): Shown {
  const { content, embeds, components } = v.parse(Discord, JSON.parse(body));
  const buttons = (components?.[0].components ?? []).map(({ label, url }) => [label, url] as const);
  const shown = embeds.map(({ title, description, color, footer }) => {
    const parts = [
      title === undefined ? "" : `<h2>${markdown(title)}</h2>`,
      description === undefined ? "" : markdown(description),
      footer === undefined ? "" : html`<small>${footer.text}</small>`.html,
    ];
    const hex = color === undefined ? "#ccc" : `#${color.toString(16).padStart(6, "0")}`;
    return html`<section style="border-left: 4px solid ${hex}">${{ html: parts.join("") }}</section>`.html;
  });
  const all = [content, ...embeds.flatMap(({ title = "", description = "" }) => [title, description])];
  return {
    body: `${markdown(content)}${shown.join("")}${buttonsOf(buttons)}`,
    mentions: all.flatMap((text) => namesIn(text, DISCORD_NAMES)),
  };
}

/** Line feeds within a paragraph are shown, as chats do. */
function markdown(text: string): string {
  const source = text.replace(/(?<=\S)\n(?!- |\n)/g, "\\\n");
  return micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

function showTeams({ body }: SentPayload): Shown {
  const [{ content }] = v.parse(Teams, JSON.parse(body)).attachments;
  const paragraphs = content.body.map((block) => {
    if (block.type === "TextBlock") return markdown(block.text.replaceAll(/<\/?at>/g, "**"));
    const { inlines, spacing = "Default" } = block;
    const runs = inlines.map(showRun);
    return html`<p class="${spacing}">${{ html: runs.map((run) => run.html).join("") }}</p>`.html;
  });
  const entities = content.msteams?.entities ?? [];
  const texts = content.body.map((block) => (block.type === "TextBlock" ? block.text : ""));
  const mentions = entities.map(({ text }) => text).filter((text) => texts.join(" ").includes(text));
  const buttons = (content.actions ?? []).map(({ title, url }) => [title, url] as const);
  return { body: `${paragraphs.join("")}${buttonsOf(buttons)}`, mentions };
}

function showRun(run: v.InferOutput<typeof TextRun>): Markup {
  if (typeof run === "string") return html`${run}`;
  const { text, weight, isSubtle, strikethrough, size } = run;
  const struck = strikethrough === true ? html`<s>${text}</s>` : html`${text}`;
  const bold = weight === "Bolder" ? html`<b>${struck}</b>` : struck;
  const large = size === "Large" ? html`<big>${bold}</big>` : bold;
  return isSubtle === true ? html`<small>${large}</small>` : large;
}

function showTelegram({ body }: SentPayload): Shown {
  const { text, reply_markup: keyboard } = v.parse(Telegram, JSON.parse(body));
  const buttons = (keyboard?.inline_keyboard ?? []).map(([{ text: label, url }]) => [label, url] as const);
  const read = readTelegramHtml(text);
  return {
    body: `${(read?.html ?? "").replaceAll("\n", "<br>")}${buttonsOf(buttons)}`,
    mentions: [
      ...namesIn(read?.text ?? "", TELEGRAM_NAMES),
      ...namesIn(text, /(?<=<a href=")tg:\/\/user\?id=\d+/g),
    ],
  };
}

function showNtfy({ headers, body }: SentPayload): Shown {
  const title = decodeWords(headers["title"] ?? "");
  const actions = headers["actions"] === undefined ? [] : v.parse(NtfyActions, headers["actions"]);
  const buttons = buttonsOf(actions.map(({ label, url }) => [label, url]));
  return {
    body: `${html`<h1>${title}</h1><pre>${{ html: escapeLines(body) }}</pre>`.html}${buttons}`,
    mentions: [],
  };
}

function buttonsOf(buttons: readonly (readonly [text: string, url: string])[]): string {
  const links = buttons.map(([text, url]) => html`<p><a class="button" href="${url}">${text}</a></p>`.html);
  return links.join("");
}

function escapeLines(text: string): string {
  return text
    .split("\n")
    .map((line) => html`${line}`.html)
    .join("\n");
}

/** How the pages look. */
export const PAGE_STYLE = `body { font: 15px/1.45 system-ui, sans-serif; margin: 0; background: #f2f2f2 }
main { background: #fff; max-width: 560px; margin: 16px auto; padding: 16px 20px; border-radius: 8px; overflow-wrap: anywhere; white-space: pre-wrap }
h1 { font-size: 18px; margin: 0 0 8px } h2, h4 { font-size: 15px; margin: 0 0 4px } p { margin: 8px 0 }
ul { margin: 0; padding-left: 20px; white-space: normal } li > p { margin: 0 } small { color: #666; font-size: 13px } pre { font: inherit; white-space: pre-wrap; margin: 0 }
.mattermost { white-space: normal } .Medium { margin-top: 14px } .Small { margin: 4px 0 0 } .None { margin: 0 } section { background: #f6f6f7; margin: 8px 0; padding: 8px 12px; border-radius: 4px } section > p { margin: 0; white-space: normal }
big { font-size: 18px } .button { display: inline-block; border: 1px solid #bbb; border-radius: 4px; padding: 4px 10px; text-decoration: none }`;

function documentOf(kind: ChatKind, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${kind}</title><style>${PAGE_STYLE}</style></head><body><main class="${kind}">${body}</main></body></html>`;
}
