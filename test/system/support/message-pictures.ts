import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import PostalMime from "postal-mime";
import type { Payload, TargetKind } from "../../../src/delivery/target.js";
import { html } from "../../../src/html/page.js";

/** Draws the requests of targets as pictures for docs/messages.md, each on a card as wide as a phone shows it. */

type Shown = Exclude<TargetKind, "json">;

const CARD = { width: 360, gap: 16, heading: 28, height: 540 };

/** How the cards look. */
const STYLE = `body { font: 15px/1.45 system-ui, sans-serif; margin: 0; background: #f2f2f2 }
main { background: #fff; max-width: 560px; margin: 16px auto; padding: 16px 20px; border-radius: 8px; overflow-wrap: anywhere; white-space: pre-wrap }
h1 { font-size: 18px; margin: 0 0 8px } h2, h4 { font-size: 15px; margin: 0 0 4px } p { margin: 8px 0 }
ul { margin: 0; padding-left: 20px; white-space: normal } li > p { margin: 0 } small { color: #666; font-size: 13px } pre { font: inherit; white-space: pre-wrap; margin: 0 }
.mattermost { white-space: normal } .Medium { margin-top: 14px } .Small { margin: 4px 0 0 } .None { margin: 0 } section { background: #f6f6f7; margin: 8px 0; padding: 8px 12px; border-radius: 4px } section > p { margin: 0; white-space: normal }
big { font-size: 18px } .button { display: inline-block; border: 1px solid #bbb; border-radius: 4px; padding: 4px 10px; text-decoration: none }`;

/** @param messages each is shown below its heading @returns an SVG document */
export async function drawPicture(
  kind: Shown,
  messages: readonly (readonly [heading: string, payload: Payload])[],
): Promise<string> {
  const width = messages.length * (CARD.width + CARD.gap) + CARD.gap;
  const height = CARD.heading + CARD.height + CARD.gap;
  const cards = messages.map(async ([heading, payload], index) => {
    const x = CARD.gap + index * (CARD.width + CARD.gap);
    const card = await drawCard(kind, payload);
    return `<text x="${x}" y="20">${heading}</text>
<foreignObject x="${x}" y="${CARD.heading}" width="${CARD.width}" height="${CARD.height}">${card}</foreignObject>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>A digest, a reminder and changes, as ${kind} shows them</title>
<style>${STYLE} svg { background: #f2f2f2 } text { font: bold 14px system-ui, sans-serif; fill: #57606a } main { margin: 0; max-width: none; color: #1f2328 }</style>
<rect width="${width}" height="${height}" fill="#f2f2f2"/>
${(await Promise.all(cards)).join("\n")}
</svg>
`;
}

/** @returns XHTML */
async function drawCard(kind: Shown, payload: Payload): Promise<string> {
  const xmlns = 'xmlns="http://www.w3.org/1999/xhtml"';
  if (kind === "mail") {
    const page = (await PostalMime.parse(payload.body)).html ?? "";
    const [, style = "", body = ""] = /<body style="([^"]*)">(.*)<\/body>/s.exec(page) ?? [];
    return `<main ${xmlns} class="mail" style="${style}">${body.trim()}</main>`;
  }
  const drawn = DRAWINGS[kind](payload).replaceAll("<br>", "<br/>");
  return `<main ${xmlns} class="${kind}">${drawn}</main>`;
}

const DRAWINGS: Readonly<Record<Exclude<Shown, "mail">, (payload: Payload) => string>> = {
  slack: ({ body }) => JSON.parse(body).blocks.map(drawSlackBlock).join(""),
  discord: drawDiscord,
  teams: drawTeams,
  mattermost: ({ body }) => drawMarkdown(JSON.parse(body).text),
  telegram({ body }) {
    const { text, reply_markup: keyboard } = JSON.parse(body);
    return `${text.replaceAll("\n", "<br>")}${drawButtons(keyboard?.inline_keyboard.flat())}`;
  },
  googlechat({ body }) {
    const links = JSON.parse(body).text.split(/<(https?:[^>|]+)\|([^>]*)>/);
    const parts = links.map((part: string, index: number) => {
      if (index % 3 === 0) return drawLines(part);
      return index % 3 === 1 ? "" : html`<a href="${links[index - 1]}">${part}</a>`.html;
    });
    return drawMarks(parts.join("")).replaceAll("\n", "<br>");
  },
  ntfy({ headers, body }) {
    const title = (headers["title"] ?? "").split(" ").map((word) => {
      const [, base64] = /^=\?UTF-8\?B\?(.*)\?=$/.exec(word) ?? [];
      return base64 === undefined ? `${word} ` : Buffer.from(base64, "base64").toString();
    });
    const actions: readonly Button[] = JSON.parse(headers["actions"] ?? "[]");
    return `${html`<h1>${title.join("").trim()}</h1>`.html}<pre>${drawLines(body)}</pre>${drawButtons(actions)}`;
  },
};

interface Button {
  readonly text?: string;
  readonly label?: string;
  readonly title?: string;
  readonly url: string;
}

function drawButtons(buttons: readonly Button[] = []): string {
  const links = buttons.map(({ text, label, title, url }) => {
    return html`<p><a class="button" href="${url}">${text ?? label ?? title ?? ""}</a></p>`.html;
  });
  return links.join("");
}

interface SlackText {
  readonly text: string;
}

interface SlackBlock {
  readonly type: string;
  readonly text: SlackText;
  readonly elements: readonly { readonly text: SlackText & string; readonly url: string }[];
}

function drawSlackBlock({ type, text, elements }: SlackBlock): string {
  if (type === "header") return html`<h1>${text.text}</h1>`.html;
  if (type === "actions") return drawButtons(elements.map(({ text, url }) => ({ text: text.text, url })));
  if (type === "section") return `<p>${drawMrkdwn(text.text)}</p>`;
  return `<small>${elements.map((part) => `<p>${drawMrkdwn(part.text)}</p>`).join("")}</small>`;
}

function drawMrkdwn(text: string): string {
  const linked = text.replace(/<([^>|]+)\|([^>]*)>/g, '<a href="$1">$2</a>');
  return drawMarks(linked).replaceAll("\n", "<br>");
}

function drawMarks(text: string): string {
  return text.replace(/\*([^*\n]+)\*/g, "<b>$1</b>").replace(/~([^~\n]+)~/g, "<s>$1</s>");
}

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly color?: number;
  readonly footer?: { readonly text: string };
}

function drawDiscord({ body }: Payload): string {
  const { content, embeds, components = [] } = JSON.parse(body);
  const shown = embeds.map(({ title, description, color = 0xcccccc, footer }: Embed) => {
    const parts = [
      title === undefined ? "" : `<h2>${drawMarkdown(title)}</h2>`,
      description === undefined ? "" : drawMarkdown(description),
      footer === undefined ? "" : html`<small>${footer.text}</small>`.html,
    ];
    const hex = `#${color.toString(16).padStart(6, "0")}`.replace("#cccccc", "#ccc");
    return `<section style="border-left: 4px solid ${hex}">${parts.join("")}</section>`;
  });
  return `${drawMarkdown(content)}${shown.join("")}${drawButtons(components[0]?.components)}`;
}

/** Line feeds within a paragraph are shown, as chats do. */
function drawMarkdown(text: string): string {
  const source = text.replace(/(?<=\S)\n(?!- |\n)/g, "\\\n");
  return micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

interface TextRun {
  readonly text: string;
  readonly weight?: string;
  readonly size?: string;
  readonly isSubtle?: true;
  readonly strikethrough?: true;
}

interface CardBlock {
  readonly type: string;
  readonly text: string;
  readonly spacing?: string;
  readonly inlines: readonly (string | TextRun)[];
}

function drawTeams({ body }: Payload): string {
  const [{ content }] = JSON.parse(body).attachments;
  const paragraphs = content.body.map(({ type, text, spacing = "Default", inlines }: CardBlock) => {
    if (type === "TextBlock") return drawMarkdown(text);
    return `<p class="${spacing}">${inlines.map(drawRun).join("")}</p>`;
  });
  return `${paragraphs.join("")}${drawButtons(content.actions)}`;
}

function drawRun(run: string | TextRun): string {
  const { text, weight, size, isSubtle, strikethrough }: TextRun =
    typeof run === "string" ? { text: run } : run;
  const tags = [isSubtle && "small", size && "big", weight && "b", strikethrough && "s"].filter(
    (tag) => typeof tag === "string",
  );
  return tags.reduceRight((drawn, tag) => `<${tag}>${drawn}</${tag}>`, html`${text}`.html);
}

/** Keeps the text as it is: none of it is markup. */
function drawLines(text: string): string {
  const lines = text.split("\n").map((line) => html`${line}`.html);
  return lines.join("\n");
}
