import { isRightToLeft } from "../../contract/text-direction.js";

/**
 * Makes untrusted text safe to print on a terminal: characters that could move the cursor, change colors, reorder
 * letters or fake a line become visible escapes. The escapes are for reading and cannot be reversed.
 */

/** Control characters (C0, DEL, C1), lone surrogates, line and paragraph separators, bidirectional controls. */
const HARMFUL = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** Bidirectional controls that act as a letter of their direction, and so reorder no letters. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f]/g;

/** More than any script puts on one letter. Stacked marks paint over neighboring lines. */
export const MAX_MARKS = 8;
/** Joiners and other characters of zero width do not start a new letter either. */
const TOO_MANY_MARKS = new RegExp(
  `[\\p{M}\\u061c\\u200b-\\u200f\\u2060-\\u2064\\ufeff]{${MAX_MARKS + 1},}`,
  "gu",
);

const NAMED_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Not visible; after it, a name or a number is not a mention. No escape of Markdown prevents those. */
export const ZERO_WIDTH_SPACE = "\u200b";

/** One line of text: control characters, line feeds and tabs too, become `\x1b`, `\n`, `\u{202e}`. */
export function sanitizeLine(text: string): string {
  return limitMarks(escapeDirectionMarks(text).replace(HARMFUL, visibleEscape));
}

/** Several lines of text: like `sanitizeLine`, but keeps line feeds and tabs, and turns CRLF into a line feed. */
export function sanitizeBlock(text: string): string {
  const lines = text.replaceAll("\r\n", "\n");
  const marked = lines.split("\n").map(escapeDirectionMarks).join("\n");
  return limitMarks(marked.replace(HARMFUL, (found) => (isLayout(found) ? found : visibleEscape(found))));
}

/**
 * JSON for a terminal: characters that JSON allows but a terminal may obey become `\uXXXX`, which keeps the value.
 * @param text as written by JSON.stringify
 * @see RFC 8259 §7
 */
export function escapeJson(text: string): string {
  return limitMarks(
    text
      .replace(DIRECTION_MARKS, jsonEscape)
      .replace(HARMFUL, (found) => (isLayout(found) ? found : jsonEscape(found))),
    jsonEscape,
  );
}

/** A text that is written from right to left keeps its marks, which are part of how it is typed. */
function escapeDirectionMarks(text: string): string {
  return isRightToLeft(text) ? text : text.replace(DIRECTION_MARKS, visibleEscape);
}

/** `\\uXXXX` for each UTF-16 code unit. */
function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function isLayout(character: string): boolean {
  return character === "\n" || character === "\t";
}

function visibleEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xff) return `\\u{${code.toString(16)}}`;
  return NAMED_ESCAPES[character] ?? `\\x${code.toString(16).padStart(2, "0")}`;
}

function limitMarks(text: string, write: (mark: string) => string = visibleEscape): string {
  return text.replace(TOO_MANY_MARKS, (marks) => {
    const all = [...marks];
    return [...all.slice(0, MAX_MARKS), ...all.slice(MAX_MARKS).map(write)].join("");
  });
}
