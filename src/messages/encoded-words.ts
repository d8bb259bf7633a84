import { cutPieces } from "./text-length.js";

/** Bytes that an encoded word of 75 characters holds. */
const WORD_BYTES = 45;

/**
 * Text as the value of a header: as it is if it is printable ASCII, else as encoded words, none of which ends within a
 * character. @see RFC 2047 §2
 * @param text one sanitized line
 */
export function encodeWords(text: string): readonly string[] {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("=?")) return [text];
  return cutPieces(text, WORD_BYTES).map((piece) => `=?UTF-8?B?${Buffer.from(piece).toString("base64")}?=`);
}
