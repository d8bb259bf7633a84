import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_DESCRIPTION } from "../../contract/limits.js";
import { sanitizeBlock } from "../../src/output/sanitize.js";
import { eachGrapheme, textWidth, truncateText, wrapText } from "../../src/output/table/text-width.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";

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

describe("a long text", () => {
  // test/long/slow-texts.test.ts has longer ones.
  test("of any kind is measured, cut and wrapped", () => {
    for (const [, textOf] of SLOW_TEXTS) {
      const text = textOf(2_000);
      expect(textWidth(text)).toBeTypeOf("number");
      expect(truncateText(text, 80).length).toBeGreaterThan(0);
      const lines = wrapText(sanitizeBlock(text), { width: 80, breakWords: true });
      expect(lines.length).toBeGreaterThan(0);
    }
  });

  test("is wrapped whole if it can be one of the contract, and says how much is missing otherwise", () => {
    const options = { width: 80, breakWords: true };
    const longest = sanitizeBlock("\u{1d165}".repeat(MAX_DESCRIPTION));
    expect(wrapText(longest, options).join("")).toBe(longest);
    const lines = wrapText("日".repeat(200_000), options);
    expect(lines).toHaveLength(2_501);
    expect(lines.at(-1)).toBe("… and 100000 more characters");
    expect(wrapText(`${"a".repeat(99_999)}😀`, options).at(-1)).toBe("… and 2 more characters");
  });

  test("is split as a whole, wherever a window of it ends", () => {
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    const unit = fc.constantFrom(
      "a",
      "日",
      "👩‍💻",
      "\u{1f1e6}",
      "e\u0301",
      "\u1100",
      "\u1161",
      "\u0600",
      "\u0915\u094d",
      "\r\n",
    );
    const repeated = fc
      .tuple(unit, fc.integer({ min: 1, max: 200 }))
      .map(([text, count]) => text.repeat(count));
    fc.assert(
      fc.property(fc.array(repeated, { maxLength: 5 }), (parts) => {
        const text = parts.join("");
        expect([...eachGrapheme(text)]).toEqual(
          Array.from(segmenter.segment(text), ({ segment }) => segment),
        );
      }),
      { numRuns: 30 },
    );
  });
});
