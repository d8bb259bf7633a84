import type { Event } from "../../../contract/shapes.js";
import { parseUrl } from "../../../contract/url.js";
import { sanitizeLine } from "../../output/sanitize.js";

/** Longer URLs are not linked. */
const MAX_URL = 2_000;

/**
 * The URL in its own serialization, without control characters, spaces, quotes, `|` and brackets, except those of an IPv6
 * address. Null for one that people cannot follow, that carries a password, or that is too long.
 * @see WHATWG URL, section 4.5
 */
export function linkTarget(url: string | null): string | null {
  const parsed = url === null ? null : parseUrl(url);
  if (parsed === null) return null;
  const { protocol, username, password, href, host, pathname } = parsed;
  if (!["http:", "https:", "mailto:"].includes(protocol) || username !== "" || password !== "") return null;
  if (protocol === "mailto:" && !pathname.includes("@")) return null;
  const address = host.startsWith("[") ? `${protocol}//${host}` : "";
  const link = address + href.slice(address.length).replace(/[\s"'<>()[\]{}|\\^`*]/g, percentEncode);
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

/** What a target shows as a button that opens a page. */
export interface LinkButton {
  /** ASCII. */
  readonly text: string;
  /** http or https. */
  readonly url: string;
}

/** Where people meet on a screen, wherever an event names it. */
const MEETING =
  /(?:^|\.)(?:zoom\.us|meet\.google\.com|teams\.(?:microsoft|live)\.com|webex\.com|whereby\.com|meet\.jit\.si)$/;

/** As many as every target has. */
export const MAX_BUTTONS = 3;
/** Longer URLs are too much for the header of ntfy and for the buttons of Discord (512). */
const MAX_BUTTON_URL = 500;
/** The shortest limit of a button's text, with the word before it, is that of Telegram (64). */
const MAX_BUTTON_HOST = 59;

/**
 * A name that a domain may have, or an IPv4 address. Telegram and Discord refuse a whole message for a button to another host.
 * @see RFC 1035 §2.3.4, RFC 1123 §2.1
 */
const BUTTON_HOST = /^(?=.{1,254}$)(?!-)[a-z\d-]{1,63}(?<!-)(?:\.(?!-)[a-z\d-]{1,63}(?<!-))+\.?$/;

/**
 * `Join meet.example`, `Open noodles.example`: the place of an event is one to join, and so is its link or one in its
 * description to a known meeting service. The host says where a button leads, whatever the text of the event says.
 */
export function linkButtons({
  location,
  description,
  url,
}: Pick<Event, "location" | "description" | "url">): readonly LinkButton[] {
  const urlsIn = (text: string | null) =>
    linkUrls(sanitizeLine(text ?? "")).flatMap((part) => part.url ?? []);
  const link = linkTarget(url);
  const meetings = [...urlsIn(description), ...(link === null ? [] : [link])].filter((each) => {
    return MEETING.test(new URL(each).hostname);
  });
  const joined = new Set([...urlsIn(location), ...meetings]);
  const all = [...joined, ...(link === null || joined.has(link) ? [] : [link])];
  return all
    .filter((each) => /^https?:/.test(each) && each.length <= MAX_BUTTON_URL)
    .filter((each) => BUTTON_HOST.test(new URL(each).hostname))
    .slice(0, MAX_BUTTONS)
    .map((each) => {
      return { text: `${joined.has(each) ? "Join" : "Open"} ${shortenHost(new URL(each).host)}`, url: each };
    });
}

/** Keeps the end, which says whose host it is, and ASCII, since ntfy has the text in a header. */
function shortenHost(host: string): string {
  return host.length <= MAX_BUTTON_HOST ? host : `...${host.slice(3 - MAX_BUTTON_HOST)}`;
}

/** Up to what cannot be in a URL or is the next one of a list; with the mark of one that was cut. */
const URL_IN_TEXT = /(https?:\/\/(?:(?![,;]https?:\/\/)[^\s<>"'`|\\^{}[\]*…“”„«»‹›（）「」『』【】])+…?)/i;

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

/** A mark or an entity of HTML that belongs to the sentence around. Within a URL they may be part of it: `wiki/L’Équipe`. */
const MARK_AT_END = /(?:&[a-z]{2,8};|[.,;:!?(]|(?![\0-\x7f])[\p{P}\p{Cf}])$/iu;

/** Without what belongs to the sentence around: a bracket that the URL does not open, and marks at the end. */
function urlLength(text: string): number {
  for (let length = closingBracket(text); ; ) {
    const [mark = ""] = MARK_AT_END.exec(text.slice(Math.max(length - 10, 0), length)) ?? [];
    if (mark === "") return length;
    length -= mark.length;
  }
}

/** Where the first bracket is that closes none of the text; its length without one. */
function closingBracket(text: string): number {
  let depth = 0;
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    depth += bracket === "(" ? 1 : -1;
    if (depth < 0) return index;
  }
  return text.length;
}
