import fc from "fast-check";
import { expect, test } from "vitest";
import { createRecentMap } from "../../src/service/recent-map.js";

const found = (map: { get(key: string): unknown }, keys: readonly string[]) =>
  keys.filter((key) => map.get(key) !== undefined);

const KEYS = [..."abcdefghijkl"];

test("keeps the entries that were used last", () => {
  const map = createRecentMap<number>(4);
  for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) map.set(key, value);
  expect(map.get("a")).toBe(1);
  map.set("d", 4);
  map.set("e", 5);
  expect(map.get("b")).toBeUndefined();
  expect(["a", "d", "e"].map((key) => map.get(key))).toEqual([1, 4, 5]);
  map.delete("d");
  map.set("a", 6);
  expect(["a", "d", "e"].map((key) => map.get(key))).toEqual([6, undefined, 5]);
  map.clear();
  expect(found(map, ["a", "e"])).toEqual([]);
});

test("keeps no value that is too large", () => {
  const map = createRecentMap<string>(20, { sizeOf: ({ length }) => length, largest: 4 });
  map.set("a", "1234");
  map.set("b", "1234");
  map.set("a", "12345");
  map.set("c", "12345");
  expect(found(map, ["a", "b", "c"])).toEqual(["b"]);
});

test("what is used again counts like what is new", () => {
  const map = createRecentMap<number>(4);
  for (const key of KEYS) {
    map.set(key, 1);
    expect(found(map, KEYS).length).toBeLessThanOrEqual(4);
  }
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const LIMIT = 20;

interface Step {
  readonly what: "get" | "set" | "delete";
  readonly key: string;
  readonly size: number;
}

const stepOf: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom("get", "get", "get", "set", "set", "delete"),
  key: fc.constantFrom(...KEYS),
  size: fc.integer({ min: 1, max: 6 }),
});

test("whatever is done, what was used last and takes half of the limit is kept, and never more than the limit", () => {
  fc.assert(
    fc.property(fc.array(stepOf, { maxLength: 200 }), (steps) => {
      const map = createRecentMap<number>(LIMIT, { sizeOf: (size) => size });
      // The one that was used last is first.
      let used: (readonly [string, number])[] = [];
      for (const { what, key, size } of steps) {
        if (what === "set") map.set(key, size);
        if (what === "delete") map.delete(key);
        const value = map.get(key);
        used = used.filter(([other]) => other !== key);
        if (value !== undefined) used.unshift([key, value]);
      }
      const isCertain = (_: unknown, index: number) =>
        sum(used.slice(0, index + 1).map(([, size]) => size)) <= LIMIT / 2;
      const certain = used.filter(isCertain);
      for (const [key, size] of certain) expect(map.get(key)).toBe(size);
      expect(sum(KEYS.map((key) => map.get(key) ?? 0))).toBeLessThanOrEqual(LIMIT);
    }),
  );
});
