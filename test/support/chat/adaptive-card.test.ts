import { expect, test } from "vitest";
import { findCardProblems } from "./adaptive-card.js";

function card(...body: readonly object[]): object {
  return { type: "AdaptiveCard", version: "1.4", body };
}

test.each([
  [card({ type: "Table" }), "Table"],
  [card({ type: "TextBlock", text: "a", spacing: "Wide" }), "spacing"],
  [card({ type: "RichTextBlock", inlines: [{ type: "Run", text: "a" }] }), "Run"],
  [{ ...card(), actions: [{ type: "Action.OpenUrl", title: "a" }] }, "url"],
])("%j is no card of version 1.4", (wrong, named) => {
  expect(findCardProblems(wrong).join("\n")).toContain(named);
});

test("a card with a text has no problems", () => {
  expect(findCardProblems(card({ type: "TextBlock", text: "a" }))).toEqual([]);
});
