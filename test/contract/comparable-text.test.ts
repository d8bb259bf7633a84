import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldCase, normalizeText } from "../../contract/comparable-text.js";
import { unicodeText } from "../support/any-text.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";

const FORMS = ["NFC", "NFKC"] as const;

describe.each(FORMS)("%s", (form) => {
  test("is that of Unicode", () => {
    const unit = fc.oneof(unicodeText(), fc.constantFrom("e\u0301", "\u0316", "ｶﾞ", "Å", "ﬁ"));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 10 }), (parts) => {
        const text = parts.join("");
        expect(normalizeText(text, form)).toBe(text.normalize(form));
      }),
    );
    const marks = `a${"\u0315\u0316".repeat(15)}`;
    expect(normalizeText(marks.repeat(3), form)).toBe(marks.repeat(3).normalize(form));
  });

  test("puts 30 marks at a time in order", () => {
    const [above, below] = ["\u0315", "\u0316"];
    const sorted = `${below.repeat(15)}${above.repeat(15)}`;
    expect(normalizeText(`a${(above + below).repeat(16)}b`, form)).toBe(`a${sorted}\u034f${below}${above}b`);
    expect(normalizeText(`${(above + below).repeat(15)}b`, form)).toBe(`${sorted}b`);
  });
});

// Unbounded, some of these take minutes. NFKC decomposes all that NFC does.
test.each(SLOW_TEXTS)("NFKC of a million %s does not take long", (_, textOf) => {
  expect(normalizeText(textOf(1_000_000), "NFKC")).toBeTypeOf("string");
});

test("case does not matter, nor how a character is composed", () => {
  expect(foldCase("E\u0301COLE")).toBe("école");
});
