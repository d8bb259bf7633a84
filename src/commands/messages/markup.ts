import type { Block, Item, Layout, Line, Segment } from "./layout.js";
import { linkTarget } from "./links.js";
import { cutText, type LengthUnit, textLength } from "./text-length.js";

/** How a target marks text. What is given to `strong` and `struck` is already marked. */
export interface Markup {
  /** Text that the target shows as it is: no markup, no mentions. @param text one sanitized line */
  readonly literal: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly struck: (text: string) => string;
  /**
   * Null where there are no links: a URL is then written below.
   * @param text not escaped
   * @param url as `linkTarget` wrote it: without white space, quotes, `|` or brackets, except those of an IPv6 address
   */
  readonly link: ((text: string, url: string) => string) | null;
  /** Before an item of a list. */
  readonly bullet: string;
  /** Before the details of an item. */
  readonly indent: string;
}

function markLine(line: Line, markup: Markup): string {
  return line.map((segment) => markSegment(segment, markup)).join("");
}

function markSegment({ text, emphasis, url }: Segment, markup: Markup): string {
  const { strong, struck } = markup;
  const linked = url === undefined || url === null ? markup.literal(text) : markLink(text, url, markup);
  if (emphasis === "strong") return strong(linked);
  return emphasis === "struck" ? struck(linked) : linked;
}

function markLink(text: string, url: string, { literal, link }: Markup): string {
  if (link !== null) return link(text, url);
  return url.includes(text) && linkTarget(text) !== url ? url : literal(text);
}

/** The text of an item, with line feeds between its lines but not at its end. */
function markItem({ lines }: Item, markup: Markup, isListed: boolean): string {
  const [first = [], ...details] = lines;
  const [bullet, indent] = isListed ? [markup.bullet, markup.indent] : ["", ""];
  return [
    `${bullet}${markLine(first, markup)}`,
    ...[...details.map((line) => markLine(line, markup)), ...urlsBelow(first, markup)].map(
      (line) => indent + line,
    ),
  ].join("\n");
}

/** The URLs that the line itself does not show. */
function urlsBelow(line: Line, { link }: Markup): readonly string[] {
  if (link !== null) return [];
  return line.flatMap(({ text, url }) => {
    return url === undefined || url === null || url.includes(text) || linkTarget(text) === url ? [] : [url];
  });
}

/** How long a text may be. */
export interface LengthLimit {
  readonly max: number;
  readonly unit: LengthUnit;
}

/** A block as texts within the limit, if its items are: they are not broken. Its heading begins the first. */
export function markBlock({ heading, items, isListed }: Block, markup: Markup, limit: LengthLimit): string[] {
  const lines = items.map((item) => markItem(item, markup, isListed));
  const first = heading === null ? [] : [markup.strong(markup.literal(heading))];
  return joinTexts([...first, ...lines], "\n", limit);
}

/** Joins as many texts as the limit allows; a longer one stays as it is. */
export function joinTexts(texts: readonly string[], separator: string, { max, unit }: LengthLimit): string[] {
  const groups: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const longer = length + textLength(separator + text, unit);
    const last = longer <= max ? groups.at(-1) : undefined;
    if (last === undefined) groups.push([text]);
    else last.push(text);
    length = last === undefined ? textLength(text, unit) : longer;
  }
  return groups.map((group) => group.join(separator));
}

const NO_LIMIT: LengthLimit = { max: Number.MAX_VALUE, unit: "UTF-16 units" };

/** A whole message as one text, without its title. */
export function markBody({ blocks, more, note }: Layout, markup: Markup): string {
  const ends = [more, note].filter((text) => text !== null).map(markup.literal);
  return [...blocks.flatMap((block) => markBlock(block, markup, NO_LIMIT)), ...ends].join("\n\n");
}

/** The text as the target shows it as it is, cut so that it is within the limit with what the target wants escaped. */
export function markCut(text: string, { literal }: Markup, { max, unit }: LengthLimit): string {
  for (let room = max; ; ) {
    const marked = literal(cutText(text, room, unit));
    const excess = textLength(marked, unit) - max;
    if (excess <= 0) return marked;
    room -= excess;
  }
}

/** Text without markup. */
export const PLAIN_TEXT: Markup = {
  literal: (text) => text,
  strong: (text) => text,
  struck: (text) => text,
  link: null,
  bullet: "• ",
  indent: "   ",
};

/** As Slack and Telegram want text, which both read entities. */
export function escapeEntities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Where there is no escape, and marks would be taken for markup. An underscore within a word is none. */
export function replaceMarks(text: string): string {
  return text.replace(/[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (mark) => LOOKALIKES[mark] ?? "");
}

const LOOKALIKES: Readonly<Record<string, string>> = { "*": "∗", _: "ˍ", "~": "∼", "`": "ˋ" };
