import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textWidth, truncateText } from "../../src/output/table/text-width.js";

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom("日", "👩‍💻", "e\u0301", "…", " "),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
});

describe("textWidth", () => {
  test.each([
    ["", 0],
    ["abc", 3],
    ["naïve – café", 12],
    ["e\u0301", 1],
    ["日本語", 6],
    ["か\u3099", 2],
    ["葛\u{e0100}", 2],
    ["ｶﾅ", 2],
    ["ＡＢ", 4],
    ["한국", 4],
    ["\u1112\u1161\u11ab", 2],
    ["𠮷", 2],
    ["🎉", 2],
    ["🫠", 2],
    ["👩‍💻", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["👍🏽", 2],
    ["🇯🇵", 2],
    ["❤️", 2],
    ["1️⃣", 2],
    ["❤", 1],
    ["สวัสดี", 4],
    ["a\u200bb", 2],
  ])("of %j is %i", (value, width) => {
    expect(textWidth(value)).toBe(width);
  });
});

describe("truncateText", () => {
  test.each([
    ["fits", 4, "fits"],
    ["does not", 4, "doe…"],
    ["a word", 3, "a…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👩‍💻👩‍💻", 3, "👩‍💻…"],
    ["abc", 1, "…"],
    ["", 0, ""],
  ])("%j to %i columns is %j", (value, width, expected) => {
    expect(truncateText(value, width)).toBe(expected);
  });

  test("is never wider than the limit, and marks what was cut", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (value, width) => {
        const shown = truncateText(value, width);
        expect(textWidth(shown)).toBeLessThanOrEqual(width);
        if (shown !== value) expect(shown.endsWith("…")).toBe(true);
      }),
    );
  });
});
