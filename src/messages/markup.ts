import type { Block, Item, Line, Segment } from "./layout.js";
import { type LengthUnit, textLength } from "./text-length.js";

/** How a target marks text. What is given to `strong`, `struck` and `link` is already escaped. */
export interface Markup {
  /** Text that the target shows as it is: no markup, no mentions. @param text one sanitized line */
  readonly literal: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly struck: (text: string) => string;
  /** @param url as `linkTarget` wrote it: without white space, quotes, brackets or `|` */
  readonly link: (text: string, url: string) => string;
  /** Before an item of a list. */
  readonly bullet: string;
  /** Before the details of an item. */
  readonly indent: string;
}

/** Not visible; after it, a name is not a mention. */
export const ZERO_WIDTH_SPACE = "\u200b";

export function markLine(line: Line, markup: Markup): string {
  return line.map((segment) => markSegment(segment, markup)).join("");
}

function markSegment({ text, look, url }: Segment, { literal, strong, struck, link }: Markup): string {
  const escaped = literal(text);
  const linked = url === undefined || url === null ? escaped : link(escaped, url);
  if (look === "strong") return strong(linked);
  return look === "struck" ? struck(linked) : linked;
}

/** The text of an item, with line feeds between its lines but not at its end. */
export function markItem({ lines }: Item, markup: Markup, isListed: boolean): string {
  const [first = [], ...details] = lines;
  const { bullet, indent } = markup;
  return [
    `${isListed ? bullet : ""}${markLine(first, markup)}`,
    ...details.map((line) => `${indent}${markLine(line, markup)}`),
  ].join("\n");
}

/** A block as texts of at most `max` units: its heading, if any, begins the first. Items are not broken. */
export function markBlock(
  { heading, items }: Block,
  markup: Markup,
  { max, unit }: { readonly max: number; readonly unit: LengthUnit },
): string[] {
  const lines = items.map((item) => markItem(item, markup, heading !== null));
  const first = heading === null ? [] : [markup.strong(markup.literal(heading))];
  const texts: string[] = [];
  let current = "";
  for (const text of [...first, ...lines]) {
    const joined = current === "" ? text : `${current}\n${text}`;
    if (current !== "" && textLength(joined, unit) > max) {
      texts.push(current);
      current = text;
    } else {
      current = joined;
    }
  }
  return current === "" ? texts : [...texts, current];
}
