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
