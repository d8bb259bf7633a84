import { parseUrl } from "../../contract/url.js";

/** Longer URLs are not linked. */
const MAX_URL = 2_000;

/**
 * The URL in its own serialization, without control characters, spaces, quotes, brackets and `|`. Null for one that
 * people cannot follow, that carries a password, or that is too long.
 * @see WHATWG URL, section 4.5
 */
export function linkTarget(url: string | null): string | null {
  const parsed = url === null ? null : parseUrl(url);
  if (parsed === null) return null;
  const { protocol, username, password, href } = parsed;
  if (!["http:", "https:", "mailto:"].includes(protocol) || username !== "" || password !== "") return null;
  const link = href.replace(/[\s"'<>()[\]{}|\\^`*]/g, percentEncode);
  return link.length > MAX_URL ? null : link;
}

/** All of these are ASCII. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Text, or a URL within it and where it leads to. */
export interface LinkedText {
  readonly text: string;
  readonly url: string | null;
}

/** Up to what cannot be in a URL; with the mark of one that was cut. */
const URL_IN_TEXT = /(https?:\/\/[^\s<>"'`|\\^{}[\]*…]+…?)/i;

/** The parts of a text that has URLs in it. @param text one sanitized line */
export function linkUrls(text: string): LinkedText[] {
  return text.split(URL_IN_TEXT).flatMap((part, index) => {
    if (part === "") return [];
    if (index % 2 === 0 || part.endsWith("…")) return [{ text: part, url: null }];
    const url = part.slice(0, urlLength(part));
    const rest = part.slice(url.length);
    return [{ text: url, url: linkTarget(url) }, ...(rest === "" ? [] : [{ text: rest, url: null }])];
  });
}

/** Without what belongs to the sentence around: a bracket that the URL does not open, and marks at the end. */
function urlLength(text: string): number {
  const bracket = text.includes("(") ? -1 : text.indexOf(")");
  let length = bracket === -1 ? text.length : bracket;
  while (".,;:!?".includes(text.charAt(length - 1)) && length > 0) length -= 1;
  return length;
}
