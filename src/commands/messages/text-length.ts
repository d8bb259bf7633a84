import { encodeWord } from "nodemailer/lib/mime-funcs";
import { codePointLength } from "../../../contract/limits.js";
import { eachGrapheme } from "../../output/table/text-width.js";

/** What a target counts its limits in. */
export type LengthUnit = "code points" | "UTF-16 units" | "bytes";

/** The length of a text in a unit. */
export function textLength(text: string, unit: LengthUnit): number {
  switch (unit) {
    case "code points":
      return codePointLength(text);
    case "UTF-16 units":
      return text.length;
    case "bytes":
      return Buffer.byteLength(text);
  }
}

/** The text as it is, or its first user-perceived characters with `…` after them, at most `max` units long. */
export function cutText(text: string, max: number, unit: LengthUnit): string {
  // No unit is shorter than a code point, and none is longer than three bytes for each UTF-16 unit.
  if (text.length * 3 <= max || textLength(text, unit) <= max) return text;
  const room = max - textLength("…", unit);
  let cut = "";
  let used = 0;
  for (const grapheme of eachGrapheme(text)) {
    used += textLength(grapheme, unit);
    if (used > room) break;
    cut += grapheme;
  }
  return room < 0 ? "" : `${cut.trimEnd()}…`;
}

/** Characters of an encoded word: the first of them and the header's name fit in a line of 76 characters. */
const MAX_WORD = 64;
/** Longer text is broken into lines, which only encoded words can be without a change. */
const MAX_PLAIN = 60;

/**
 * Text as the value of a header: as it is if it is short printable ASCII, else as encoded words, none of which ends within a
 * character. @see RFC 2047 §2
 * @param text one sanitized line
 */
export function encodeWords(text: string): string {
  const isPlain = text.length <= MAX_PLAIN && /^[\x20-\x7e]*$/.test(text) && !text.includes("=?");
  return isPlain ? text : encodeWord(text, "B", MAX_WORD);
}
