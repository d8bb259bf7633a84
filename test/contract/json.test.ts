import { expect, test } from "vitest";
import { locateJsonError } from "../../contract/json.js";

test("every truncation of a document is detected", async () => {
  const document = JSON.stringify({ a: 'x\u00e9\\"y', b: [1, -2.5e3, true, false, null], c: { d: "" } });
  for (let length = 1; length < document.length; length += 1) {
    const text = document.slice(0, length);
    expect({ text, atEnd: (await locateJsonError(text)).atEnd }).toEqual({ text, atEnd: true });
  }
});

test.each([
  ['{"a": x}', { offset: 6, line: 1, column: 7, atEnd: false }],
  ['{\n  "a": 1,\n}', { offset: 12, line: 3, column: 1, atEnd: false }],
  ["<html>", { offset: 0, line: 1, column: 1, atEnd: false }],
  ["{} {}", { offset: 3, line: 1, column: 4, atEnd: false }],
  ["// no\n{}", { offset: 0, line: 1, column: 1, atEnd: false }],
])("%j", async (text, expected) => {
  expect(await locateJsonError(text)).toEqual(expected);
});

test.each([
  ["brackets that nobody closes", "[".repeat(100_000), { offset: 100_000, atEnd: true }],
  ["a document cut within a string", `${'{"a":'.repeat(100_000)}"b`, { offset: 500_002, atEnd: true }],
  ["a bracket of the wrong kind", `${"[".repeat(100_000)}}`, { offset: 100_000, atEnd: false }],
  ["a bracket too many", `${"[".repeat(100_000)}${"]".repeat(100_001)}`, { offset: 200_000, atEnd: false }],
])("nested 100,000 deep: %s", async (_, text, expected) => {
  expect(await locateJsonError(text)).toMatchObject(expected);
});
