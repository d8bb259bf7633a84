import type { Payload } from "../../../delivery/target.js";
import { drawFitting } from "../layout.js";
import type { LinkButton } from "../links.js";
import { markBody, PLAIN_TEXT } from "../markup.js";
import type { Message } from "../message.js";
import { cutText, encodeWords, textLength } from "../text-length.js";

/**
 * Bytes. A text of more than 4,096 becomes an attachment, or is refused; apps on phones get title and text in one such
 * message. @see https://docs.ntfy.sh/publish/#limitations
 */
export const NTFY_LIMITS = { unit: "bytes", text: 3_800, title: 250 } as const;

/** The text is not Markdown: without the header for it nothing in it has a meaning. */
export function renderNtfy(message: Message): Payload {
  const { unit, text, title } = NTFY_LIMITS;
  const { buttons = [] } = message;
  const links = linkHeaders(buttons);
  const used = Object.values(links).join("").length;
  const body = drawFitting(message, {
    draw: (layout) => markBody(layout, PLAIN_TEXT),
    fits: (drawn) => textLength(drawn, unit) + used <= text,
  });
  return {
    contentType: "text/plain; charset=utf-8",
    headers: { title: encodeWords(cutText(message.title, title, unit)), ...links },
    // Without a text the server writes one.
    body: body === "" ? message.title : body,
  };
}

/**
 * A tap on the message opens the first link. They count as text, since a phone gets them in the same message.
 * @see https://docs.ntfy.sh/publish/#using-a-json-array
 */
function linkHeaders(buttons: readonly LinkButton[]): Payload["headers"] {
  const [first] = buttons;
  if (first === undefined) return {};
  const actions = buttons.map(({ text, url }) => ({ action: "view", label: text, url }));
  return { click: first.url, actions: JSON.stringify(actions) };
}
