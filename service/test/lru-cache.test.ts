import fc from "fast-check";
import { expect, test } from "vitest";
import { createLruCache } from "../lru-cache.js";

const KEYS = [..."abcdefghijkl"];

const keysIn = (cache: { get(key: string): unknown }) => KEYS.filter((key) => cache.get(key) !== undefined);

test("drops the entries that were used least recently", () => {
  const cache = createLruCache<number>(4);
  for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) cache.set(key, value);
  expect(cache.get("a")).toBe(1);
  cache.set("d", 4);
  cache.set("e", 5);
  expect(cache.get("b")).toBeUndefined();
  expect(["a", "d", "e"].map((key) => cache.get(key))).toEqual([1, 4, 5]);
  cache.delete("d");
  cache.set("a", 6);
  expect(["a", "d", "e"].map((key) => cache.get(key))).toEqual([6, undefined, 5]);
});

test("does not store a value that is too large", () => {
  const cache = createLruCache<string>(20, { sizeOf: ({ length }) => length, maxValueSize: 4 });
  cache.set("a", "1234");
  cache.set("b", "1234");
  cache.set("a", "12345");
  cache.set("c", "12345");
  expect(keysIn(cache)).toEqual(["b"]);
});

test("counts the entries that are used again", () => {
  const cache = createLruCache<number>(4);
  for (const key of KEYS) {
    cache.set(key, 1);
    expect(keysIn(cache).length).toBeLessThanOrEqual(4);
  }
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const MAX_SIZE = 20;

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

interface Use {
  readonly key: string;
  readonly size: number;
  /** Whether it and those that were used since have always fit in half of the cache. */
  readonly fits: boolean;
}

/** The most recently used one is first. */
function markFitting(uses: readonly Use[]): readonly Use[] {
  return uses.map((use, index) => {
    const total = sum(uses.slice(0, index + 1).map(({ size }) => size));
    return { ...use, fits: use.fits && total <= MAX_SIZE / 2 };
  });
}

/** Returns the value of the key afterwards. */
function perform(
  cache: ReturnType<typeof createLruCache<number>>,
  { what, key, size }: Step,
): number | undefined {
  if (what === "set") cache.set(key, size);
  if (what === "delete") cache.delete(key);
  return cache.get(key);
}

test("never exceeds its size, and drops nothing until more than half of it was used since, whatever is done", () => {
  fc.assert(
    fc.property(fc.array(stepOf, { maxLength: 100, size: "max" }), (steps) => {
      const cache = createLruCache<number>(MAX_SIZE, { sizeOf: (size) => size });
      let uses: readonly Use[] = [];
      for (const step of steps) {
        const { key } = step;
        const size = perform(cache, step);
        const others = uses.filter((use) => use.key !== key);
        uses = markFitting(size === undefined ? others : [{ key, size, fits: true }, ...others]);
      }
      for (const { key, size, fits } of uses) if (fits) expect(cache.get(key)).toBe(size);
      expect(sum(KEYS.map((key) => cache.get(key) ?? 0))).toBeLessThanOrEqual(MAX_SIZE);
    }),
  );
});
