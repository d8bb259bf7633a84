import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawList } from "../../src/output/formats/table.js";
import { PLAIN_STYLE } from "../../src/output/style.js";

interface Range {
  readonly min: number;
  readonly max: number;
  readonly shrinksFirst?: boolean;
}

/** The widths of the columns of a list with gaps of two, whose cells are as wide as `max`; null if it does not fit. */
function fitWidths(ranges: readonly Range[], available: number): readonly number[] | null {
  const columns = ranges.map(({ min, max, shrinksFirst = false }) => {
    const cells = [{ text: "x".repeat(max) }];
    return { header: "", cells, minWidth: min, shrinksFirst, multiline: false };
  });
  const width = available + 2 * (ranges.length - 1);
  const [, line] = drawList(columns, { style: PLAIN_STYLE, width, unicode: true })?.split("\n") ?? [];
  return line?.split("  ").map((cell) => cell.length) ?? null;
}

describe("columns", () => {
  const [FIVE, TEN, TWENTY] = [
    { min: 2, max: 5 },
    { min: 2, max: 10 },
    { min: 2, max: 20 },
  ];
  test.each<[string, readonly Range[], number, readonly number[] | null]>([
    [
      "all fit",
      [
        { min: 5, max: 5 },
        { min: 2, max: 9 },
      ],
      14,
      [5, 9],
    ],
    ["the widest gives way first", [FIVE, TWENTY], 15, [5, 10]],
    ["then both alike", [TEN, TWENTY], 10, [5, 5]],
    ["the firm ones stay", [{ min: 10, max: 10 }, TWENTY], 14, [10, 4]],
    [
      "too narrow for the least",
      [
        { min: 10, max: 10 },
        { min: 5, max: 20 },
      ],
      14,
      null,
    ],
    ["no limit", [TEN], Number.POSITIVE_INFINITY, [10]],
  ])("%s", (_, ranges, available, expected) => {
    expect(fitWidths(ranges, available)).toEqual(expected);
  });

  test("that shrink first shrink before wider ones", () => {
    const ranges = [
      { min: 5, max: 30, shrinksFirst: false },
      { min: 3, max: 10, shrinksFirst: true },
    ];
    expect(fitWidths(ranges, 35)).toEqual([30, 5]);
    expect(fitWidths(ranges, 30)).toEqual([27, 3]);
  });

  test("fill the available width, between minimum and maximum", () => {
    const range = fc
      .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), fc.boolean())
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
