import { expect, test } from "vitest";
import { parseUrl, withoutFinalSlashes } from "../../contract/url.js";

test("a host in other letters is one, however often it is read", () => {
  // V8 optimizes the function meanwhile.
  for (let count = 0; count < 30_000; count += 1) {
    if (parseUrl("https://bücher.example")?.host !== "xn--bcher-kva.example")
      expect.fail(`after ${count} times`);
  }
});

test.each([
  ["/a", undefined, null],
  ["/a", "https://x.example/b", "https://x.example/a"],
  ["https://", undefined, null],
  ["", undefined, null],
])("%j below %j is %j", (text, base, expected) => {
  expect(parseUrl(text, base)?.href ?? null).toBe(expected);
});

test.each([
  ["https://x.example/a///", "https://x.example/a"],
  ["///", ""],
  ["/a//b", "/a//b"],
])("%j without slashes at its end is %j", (text, expected) => {
  expect(withoutFinalSlashes(text)).toBe(expected);
});
