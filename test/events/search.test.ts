import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEventSearch } from "../../src/events/search.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";

const has = (text: string, title: string) =>
  createEventSearch(text)({ title, description: null, location: null });

describe("a search", () => {
  test.each([
    ["lunch", "Team LUNCH"],
    ["STRASSE", "Hauptstraße 1"],
    ["straße", "HAUPTSTRASSE"],
    ["ΣΊΣΥΦΟΣ", "Σίσυφος"],
    ["cafe\u0301", "Café"],
    ["ﬁx", "FIX"],
    ["ｶﾌｪ", "カフェ"],
    ["100%", "100% sure"],
  ])("for %j finds %j", (text, title) => {
    expect(has(text, title)).toBe(true);
  });

  test.each([
    ["cafe", "Café"],
    ["l%h", "lunch"],
    ["l_nch", "lunch"],
    ["l.nch", "lunch"],
    ["lunch ", "lunch"],
  ])("for %j does not find %j", (text, title) => {
    expect(has(text, title)).toBe(false);
  });

  test("reads title, description and location, and nothing else", () => {
    const event = { title: "a1", description: "b2", location: "c3", url: "d4" };
    const found = ["a1", "b2", "c3", "d4", "1b"].filter((text) => createEventSearch(text)(event));
    expect(found).toEqual(["a1", "b2", "c3"]);
    expect(createEventSearch("a")({ title: null, description: null, location: null })).toBe(false);
  });

  // Unbounded, some of these take minutes.
  test.each(SLOW_TEXTS)("reads 50,000 %s in little time", (_, textOf) => {
    expect(has("no such text", textOf(50_000))).toBe(false);
  });

  test("finds every part of a text, however it is composed", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, text, after) => {
        // At its ends a part may combine with what is around it.
        const title = `${before} ${text} ${after}`;
        expect(has(` ${text} `, title.normalize("NFD"))).toBe(true);
        expect(has(` ${text.normalize("NFD")} `, title.normalize("NFC"))).toBe(true);
      }),
    );
  });
});
