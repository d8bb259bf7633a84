import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeJson, sanitizeBlock, sanitizeLine } from "../../src/output/sanitize.js";
import { harmfulCodes, hostileText as text } from "../support/harmful-text.js";

const ESC = "\u001b";

const plainText = fc.string({ unit: "grapheme" }).filter((value) => harmfulCodes(value).length === 0);

describe("sanitizeLine", () => {
  test.each([
    ["SGR", `${ESC}[31mred${ESC}[0m`, "\\x1b[31mred\\x1b[0m"],
    ["OSC 52, the clipboard", `${ESC}]52;c;aGk=\u0007`, "\\x1b]52;c;aGk=\\x07"],
    ["OSC 8, a link", `${ESC}]8;;https://evil.example${ESC}\\x`, "\\x1b]8;;https://evil.example\\x1b\\x"],
    ["DCS", `${ESC}P$q${ESC}\\`, "\\x1bP$q\\x1b\\"],
    ["APC", `${ESC}_x${ESC}\\`, "\\x1b_x\\x1b\\"],
    ["C1 CSI", "\u009b31m", "\\x9b31m"],
    ["backspace and DEL", "a\bb\u007f", "a\\x08b\\x7f"],
    ["line ends and tabs", "a\nb\rc\td\r\n", "a\\nb\\rc\\td\\r\\n"],
    ["NUL", "\0", "\\x00"],
    ["right-to-left override", "evil\u202etxt.exe", "evil\\u{202e}txt.exe"],
    ["isolates and marks", "\u2066\u2069\u200e\u200f\u061c", "\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}"],
    [
      "marks among letters written from right to left, where they reorder nothing",
      "שלום\u200f (1) \u200e\u061cمرحبا\u202e",
      "שלום\u200f (1) \u200e\u061cمرحبا\\u{202e}",
    ],
    ["more such marks than that", `ש${"\u200f".repeat(9)}b`, `ש${"\u200f".repeat(8)}\\u{200f}b`],
    ["separators", "\u2028\u2029", "\\u{2028}\\u{2029}"],
    ["half an emoji", "a\ud83d", "a\\u{d83d}"],
    ["a backslash", "C:\\new", "C:\\new"],
    ["emoji and Japanese", "👩‍💻 が 日本語 🇯🇵", "👩‍💻 が 日本語 🇯🇵"],
    ["as many marks as scripts stack", `a${"\u0301".repeat(8)}b`, `a${"\u0301".repeat(8)}b`],
    [
      "marks between which there is nothing",
      `a${"\u0301\u200c".repeat(5)}b`,
      `a${"\u0301\u200c".repeat(4)}\\u{301}\\u{200c}b`,
    ],
    ["more marks than that", `a${"\u0301".repeat(10)}b`, `a${"\u0301".repeat(8)}\\u{301}\\u{301}b`],
  ])("%s", (_, input, expected) => {
    expect(sanitizeLine(input)).toBe(expected);
  });

  test("C11 leaves no control characters", () => {
    fc.assert(fc.property(text, (value) => harmfulCodes(sanitizeLine(value)).length === 0));
  });

  test("does not change plain text", () => {
    fc.assert(
      fc.property(plainText, (value) => {
        fc.pre(!/[\p{M}\p{Cf}]{9}/u.test(value));
        expect(sanitizeLine(value)).toBe(value);
      }),
    );
  });

  test("is idempotent", () => {
    fc.assert(
      fc.property(text, (value) => {
        const once = sanitizeLine(value);
        expect(sanitizeLine(once)).toBe(once);
      }),
    );
  });
});

describe("sanitizeBlock", () => {
  test.each([
    ["keeps line feeds and tabs", "a\n\tb", "a\n\tb"],
    ["reads CRLF as a line feed", "a\r\nb", "a\nb"],
    ["shows a lone CR, which would overwrite the line", "safe\rEVIL", "safe\\rEVIL"],
    [
      "keeps marks in a line with letters written from right to left",
      "a\u200f\nש\u200f",
      "a\\u{200f}\nש\u200f",
    ],
    ["shows everything else that a line shows", `${ESC}[2J\u202e`, "\\x1b[2J\\u{202e}"],
  ])("%s", (_, input, expected) => {
    expect(sanitizeBlock(input)).toBe(expected);
  });

  test("C11 leaves no control characters but line feeds and tabs", () => {
    fc.assert(
      fc.property(text, (value) => {
        const harmful = harmfulCodes(sanitizeBlock(value));
        expect(harmful.filter((code) => code !== 0x0a && code !== 0x09)).toEqual([]);
      }),
    );
  });

  test("is idempotent", () => {
    fc.assert(
      fc.property(text, (value) => {
        const once = sanitizeBlock(value);
        expect(sanitizeBlock(once)).toBe(once);
      }),
    );
  });
});

describe("escapeJson", () => {
  test("escapes characters that JSON allows", () => {
    const value = ["\u007f\u009b\u202e\u2028", 'a"\\b'];
    expect(escapeJson(JSON.stringify(value))).toBe('["\\u007f\\u009b\\u202e\\u2028","a\\"\\\\b"]');
  });

  test("escapes stacked marks", () => {
    const value = `a${"\u0301".repeat(9)}${"\u{1e8d0}".repeat(1)}`;
    const escaped = escapeJson(JSON.stringify(value));
    expect(escaped).toBe(`"a${"\u0301".repeat(8)}\\u0301\\ud83a\\udcd0"`);
    expect(JSON.parse(escaped)).toBe(value);
  });

  test("keeps the line feeds between members", () => {
    expect(escapeJson(JSON.stringify({ a: 1 }, null, 2))).toBe('{\n  "a": 1\n}');
  });

  test("C11 leaves no control characters and keeps the value", () => {
    const json = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.integer(), fc.constant(null)));
    fc.assert(
      fc.property(json, (value) => {
        const escaped = escapeJson(JSON.stringify(value));
        expect(harmfulCodes(escaped)).toEqual([]);
        expect(JSON.parse(escaped)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
