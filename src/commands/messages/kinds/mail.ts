import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import MailComposer from "nodemailer/lib/mail-composer";
import type { Payload, RenderOptions } from "../../../delivery/target.js";
import { usageError } from "../../../errors.js";
import type { LocalizedEvent } from "../../../events/localized-event.js";
import { type Markup as Html, html } from "../../../html/page.js";
import { type Block, drawFitting, type Item, type Layout, type Segment } from "../layout.js";
import { markBody, PLAIN_TEXT } from "../markup.js";
import type { Message } from "../message.js";
import { encodeWords, textLength } from "../text-length.js";

/** Bytes of text and HTML together. Mail servers take more; nobody reads more. */
export const MAIL_LIMITS = { unit: "bytes", parts: 1_000_000 } as const;

/**
 * A whole mail with the line ends of this system, as `sendmail -t` takes it: the addresses are in it, and it removes `Bcc`.
 * @throws CliError usage for an address that is not one line of ASCII
 * @see RFC 5322, RFC 3834 §5
 */
export async function renderMail(
  message: Message,
  { to, from, bcc, ics, now }: RenderOptions,
): Promise<Payload> {
  if (to === undefined || to.trim() === "" || /[^\x20-\x7e]/.test(to))
    throw usageError("--to is not an email address", "write it as in --to ana@example.com");
  const draw = (layout: Layout) => ({ text: `${markBody(layout, PLAIN_TEXT)}\n`, page: drawPage(layout) });
  const { text, page } = drawFitting(message, { draw, fits });
  const mail = new MailComposer({
    to,
    from,
    bcc,
    messageId: `<${randomUUID()}@${hostname().replace(/[^\w.-]/g, "") || "localhost"}>`,
    date: new Date(now),
    headers: {
      // The composer would take a title that looks like encoded words for them.
      Subject: { value: encodeWords(message.title), prepared: true, foldLines: true },
      "Auto-Submitted": "auto-generated",
    },
    text,
    html: page,
    encoding: "quoted-printable",
    attachments: ics === true ? await calendarAttachments(message.events, now) : [],
    newline: "linux",
  });
  const node = mail.compile();
  node.keepBcc = true;
  const built = await node.build();
  // In some mailbox formats, such a line starts an email, and is changed in the text of another.
  const body = built.toString().replace(/^From /gm, "=46rom ");
  return { contentType: "message/rfc822", headers: {}, body };
}

/** None without events. @see RFC 5546 §3.2.1 */
async function calendarAttachments(events: readonly LocalizedEvent[], now: number) {
  if (events.length === 0) return [];
  const { writeICalendar } = await import("../../../events/icalendar/icalendar.js");
  return [
    {
      filename: "events.ics",
      contentType: "text/calendar; method=PUBLISH; charset=utf-8",
      content: await writeICalendar(events, { now, note: () => undefined, method: "PUBLISH" }),
      contentTransferEncoding: "base64" as const,
    },
  ];
}

function fits({ text, page }: { readonly text: string; readonly page: string }): boolean {
  return textLength(text, MAIL_LIMITS.unit) + textLength(page, MAIL_LIMITS.unit) <= MAIL_LIMITS.parts;
}

function drawPage({ title, blocks, more, note }: Layout): string {
  const ends = [more, note].filter((text) => text !== null);
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="font: 15px/1.5 system-ui, sans-serif; max-width: 40em; overflow-wrap: anywhere; word-break: break-word">
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

function drawSegment({ text, emphasis, url }: Segment): Html {
  const linked = url === undefined || url === null ? html`${text}` : html`<a href="${url}">${text}</a>`;
  if (emphasis === "strong") return html`<b>${linked}</b>`;
  return emphasis === "struck" ? html`<s>${linked}</s>` : linked;
}
