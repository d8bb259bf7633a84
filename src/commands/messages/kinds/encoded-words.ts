import { encodeWord } from "nodemailer/lib/mime-funcs";

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
