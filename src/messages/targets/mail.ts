import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { usageError } from "../../errors.js";
import { type Markup as Html, html } from "../../html/page.js";
import { encodeWords } from "../encoded-words.js";
import { type Block, drawFitting, type Item, type Layout, type Segment } from "../layout.js";
import { markBody, PLAIN_TEXT } from "../markup.js";
import type { Message } from "../message.js";
import type { Payload } from "../payload.js";
import { textLength } from "../text-length.js";

/** Bytes of text and HTML together. Mail servers take more; nobody reads more. */
export const MAIL_LIMITS = { unit: "bytes", parts: 1_000_000 } as const;

/** Longest line without its end. @see RFC 2045 §6.7 */
const MAX_LINE = 76;

export interface MailOptions {
  /** An address. */
  readonly to: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * A whole mail with the line ends of this system, as `sendmail -t` takes it: the address is in it, the sender is added.
 * @throws CliError usage for an address that is not one line of ASCII
 * @see RFC 5322, RFC 2045, RFC 3834 §5
 */
export function renderMail(message: Message, { to, now }: MailOptions): Payload {
  if (to.trim() === "" || /[^\x20-\x7e]/.test(to))
    throw usageError("--to is not a mail address", "write it as in --to ana@example.com");
  const id = randomUUID();
  const boundary = `=_${id}`;
  const { text, page } = drawFitting(message, { draw: drawParts, fits });
  const body = [
    `To: ${to.replaceAll(", ", ",\n ")}`,
    `Subject: ${encodeWords(message.title).join("\n ")}`,
    `Date: ${new Date(now).toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${id}@${hostname().replace(/[^\w.-]/g, "") || "localhost"}>`,
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative;\n boundary="${boundary}"`,
    "",
    ...partLines({ boundary, type: "text/plain", content: text }),
    ...partLines({ boundary, type: "text/html", content: page }),
    `--${boundary}--`,
    "",
  ];
  return { contentType: "message/rfc822", headers: {}, body: body.join("\n") };
}

interface MailParts {
  readonly text: string;
  readonly page: string;
}

function fits({ text, page }: MailParts): boolean {
  return textLength(text, MAIL_LIMITS.unit) + textLength(page, MAIL_LIMITS.unit) <= MAIL_LIMITS.parts;
}

function drawParts(layout: Layout): MailParts {
  return { text: `${markBody(layout, PLAIN_TEXT)}\n`, page: drawPage(layout) };
}

function partLines({
  boundary,
  type,
  content,
}: {
  boundary: string;
  type: string;
  content: string;
}): string[] {
  return [
    `--${boundary}`,
    `Content-Type: ${type}; charset=utf-8`,
    "Content-Transfer-Encoding: quoted-printable",
    "",
    ...content.split("\n").map(quotedPrintable),
  ];
}

/** One line of text in as many lines as it needs. @see RFC 2045 §6.7 */
function quotedPrintable(line: string): string {
  const bytes = Buffer.from(line);
  const lines: string[] = [];
  let current = "";
  for (const [index, byte] of bytes.entries()) {
    const isLast = index === bytes.length - 1;
    if (current.length + encodeByte(byte, { isFirst: false, isLast }).length >= MAX_LINE) {
      lines.push(`${current}=`);
      current = "";
    }
    current += encodeByte(byte, { isFirst: current === "", isLast });
  }
  return [...lines, current].join("\n");
}

/** Space at the end of a line gets lost, and a line that begins with a dot or with "From " is changed on its way. */
function encodeByte(
  byte: number,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const isChanged = (isFirst && (byte === 0x2e || byte === 0x46)) || (isLast && byte === 0x20);
  const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x3d;
  return isPlain && !isChanged
    ? String.fromCharCode(byte)
    : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function drawPage({ title, blocks, more, note }: Layout): string {
  const ends = [more, note].filter((text) => text !== null);
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body style="font: 15px/1.5 system-ui, sans-serif; max-width: 40em">
<h1 style="font-size: 20px">${title}</h1>
${joined(blocks.map(drawBlock))}${joined(ends.map((text) => html`<p style="color: #666">${text}</p>`))}
</body>
</html>
`.html;
}

function joined(parts: readonly Html[]): Html {
  return { html: parts.map((part) => part.html).join("") };
}

function drawBlock({ heading, items, isListed }: Block): Html {
  const title =
    heading === null ? null : html`<h2 style="font-size: 16px; margin: 16px 0 4px">${heading}</h2>`;
  const list = isListed
    ? html`<ul style="margin: 0; padding-left: 20px">${joined(items.map((item) => html`<li>${drawItem(item)}</li>`))}</ul>`
    : joined(items.map((item) => html`<div>${drawItem(item)}</div>`));
  return html`${title}${list}`;
}

function drawItem({ lines: [first = [], ...details] }: Item): Html {
  const below = details.map((line) => html`<div style="color: #666">${joined(line.map(drawSegment))}</div>`);
  return joined([...first.map(drawSegment), ...below]);
}

function drawSegment({ text, look, url }: Segment): Html {
  const linked = url === undefined || url === null ? html`${text}` : html`<a href="${url}">${text}</a>`;
  if (look === "strong") return html`<b>${linked}</b>`;
  return look === "struck" ? html`<s>${linked}</s>` : linked;
}
