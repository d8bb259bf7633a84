import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitWidths } from "../../src/output/table/list.js";

describe("fitWidths", () => {
  test.each([
    [
      "all fit",
      [
        [5, 5],
        [9, 2],
      ],
      14,
      [5, 9],
    ],
    [
      "the widest gives way first",
      [
        [5, 2],
        [20, 2],
      ],
      15,
      [5, 10],
    ],
    [
      "then both alike",
      [
        [10, 2],
        [20, 2],
      ],
      10,
      [5, 5],
    ],
    [
      "the firm ones stay",
      [
        [10, 10],
        [20, 2],
      ],
      14,
      [10, 4],
    ],
    [
      "too narrow for the least",
      [
        [10, 10],
        [20, 5],
      ],
      14,
      null,
    ],
    ["no limit", [[10, 2]], Number.POSITIVE_INFINITY, [10]],
  ])("%s", (_, ranges, available, expected) => {
    const columns = ranges.map(([max = 0, min = 0]) => ({ min, max, shrinksFirst: false }));
    expect(fitWidths(columns, available)).toEqual(expected);
  });

  test("columns that shrink first shrink before wider ones", () => {
    const columns = [
      { min: 5, max: 30, shrinksFirst: false },
      { min: 3, max: 10, shrinksFirst: true },
    ];
    expect(fitWidths(columns, 35)).toEqual([30, 5]);
    expect(fitWidths(columns, 30)).toEqual([27, 3]);
  });

  test("fills the available width, between minimum and maximum", () => {
    const range = fc
      .tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 }), fc.boolean())
      .map(([a, b, shrinksFirst]) => ({ min: Math.min(a, b), max: Math.max(a, b), shrinksFirst }));
    fc.assert(
      fc.property(fc.array(range, { minLength: 1 }), fc.nat({ max: 200 }), (ranges, available) => {
        const widths = fitWidths(ranges, available);
        const least = ranges.reduce((sum, column) => sum + column.min, 0);
        const widest = ranges.reduce((sum, column) => sum + column.max, 0);
        if (least > available) {
          expect(widths).toBeNull();
          return;
        }
        expect(widths?.reduce((sum, width) => sum + width, 0)).toBe(Math.min(widest, available));
        for (const [index, { min, max }] of ranges.entries()) {
          expect(widths?.[index]).toBeGreaterThanOrEqual(min);
          expect(widths?.[index]).toBeLessThanOrEqual(max);
        }
      }),
    );
  });
});
