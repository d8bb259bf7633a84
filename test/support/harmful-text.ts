import fc from "fast-check";

const ESC = "\u001b";

/** Control characters of a text, determined independently of the code under test. */
export function harmfulCodes(text: string): readonly number[] {
  return [...text].map((character) => character.codePointAt(0) ?? 0).filter(isHarmful);
}

function isHarmful(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    [0x61c, 0x200e, 0x200f, 0x2028, 0x2029].includes(code) ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    (code >= 0xd800 && code <= 0xdfff)
  );
}

/** Arbitrary text with many control characters. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(
        ...[ESC, "\u009b", "\u202e", "\u2066", "\ud83d", "\r", "\r\n", "\n", "\t", "\u0301", "👩‍💻"],
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
