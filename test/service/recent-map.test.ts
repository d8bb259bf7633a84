import { expect, test } from "vitest";
import { createRecentMap } from "../../src/service/recent-map.js";

test("keeps the entries that were used last", () => {
  const map = createRecentMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([1, undefined, 3]);
  map.set("a", 4);
  map.delete("c");
  map.set("d", 5);
  expect(["a", "c", "d"].map((key) => map.get(key))).toEqual([4, undefined, 5]);
});

test("keeps values up to a size in all: those that were used last, and none that is too large", () => {
  const map = createRecentMap<string>(10, { sizeOf: ({ length }) => length, largest: 4 });
  map.set("large", "12345");
  for (const key of ["a", "b", "c"]) map.set(key, "123");
  map.get("a");
  map.set("d", "123");
  expect(["large", "a", "b", "c", "d"].filter((key) => map.get(key) !== undefined)).toEqual(["a", "c", "d"]);
  // Of the one that is replaced, nothing is counted any more.
  map.set("d", "1");
  map.set("a", "1");
  map.set("e", "1234");
  map.set("c", "12345");
  map.set("f", "1234");
  expect(["a", "c", "d", "e", "f"].filter((key) => map.get(key) !== undefined)).toEqual(["a", "d", "e", "f"]);
});
