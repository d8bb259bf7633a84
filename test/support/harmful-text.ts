import fc from "fast-check";
import { unicodeText } from "./any-text.js";

const ESC = "\u001b";

/**
 * Control characters of a text, determined independently of the code under test. In a line with a letter that is written
 * from right to left, the marks of direction are none.
 */
export function harmfulCodes(text: string): readonly number[] {
  return text.split(/(\n)/).flatMap((line) => {
    const [codes, isMarked] = [codesOf(line), isRightToLeft(line)];
    return codes.filter((code) => isHarmful(code) || (!isMarked && DIRECTION_MARKS.has(code)));
  });
}

/** They act as a letter of their direction. */
export const DIRECTION_MARKS: ReadonlySet<number> = new Set([0x61c, 0x200e, 0x200f]);

/** Whether a text has a letter that is written from right to left. */
export function isRightToLeft(text: string): boolean {
  return codesOf(text).some(isRightToLeftCode);
}

function codesOf(text: string): readonly number[] {
  return [...text].map((character) => character.codePointAt(0) ?? 0);
}

/** Hebrew, Arabic and others, their presentation forms, and the scripts of the supplementary plane. */
function isRightToLeftCode(code: number): boolean {
  const isInBlocks =
    (code >= 0x590 && code <= 0x8ff) ||
    (code >= 0xfb1d && code <= 0xfefc) ||
    (code >= 0x10800 && code <= 0x10fff) ||
    (code >= 0x1e800 && code <= 0x1efff);
  return isInBlocks && /\p{L}/u.test(String.fromCodePoint(code));
}

function isHarmful(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    [0x2028, 0x2029].includes(code) ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    (code >= 0xd800 && code <= 0xdfff)
  );
}

/** Arbitrary text with many control characters. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      unicodeText(),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(
        ...[
          ESC,
          "\u009b",
          "\u202e",
          "\u2066",
          "\u200f",
          "\u061c",
          "\u05e9",
          "\ud83d",
          "\r",
          "\r\n",
          "\n",
          "\t",
          "\u0301",
          "👩‍💻",
        ],
        ...[`${ESC}[31m`, `${ESC}]52;c;aGk=\u0007`, `${ESC}]8;;https://evil.example${ESC}\\x`],
        ...[
          `${ESC}P$q${ESC}\\`,
          `${ESC}_x${ESC}\\`,
          "| --- |",
          "![x](y)",
          "<b>",
          "2026-11-21T15:00:00+09:00",
        ],
      ),
    ),
  )
  .map((parts) => parts.join(""));
