import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitWidths } from "../../src/output/table/grid.js";

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
  ])("%s", (_, demands, available, expected) => {
    const columns = demands.map(([natural = 0, least = 0]) => ({ natural, least, yieldsFirst: false }));
    expect(fitWidths(columns, available)).toEqual(expected);
  });

  test("those that yield first give way before wider ones", () => {
    const columns = [
      { natural: 30, least: 5, yieldsFirst: false },
      { natural: 10, least: 3, yieldsFirst: true },
    ];
    expect(fitWidths(columns, 35)).toEqual([30, 5]);
    expect(fitWidths(columns, 30)).toEqual([27, 3]);
  });

  test("fills what is there, between the least and the natural width", () => {
    const demand = fc
      .tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 }), fc.boolean())
      .map(([a, b, yieldsFirst]) => ({ natural: Math.max(a, b), least: Math.min(a, b), yieldsFirst }));
    fc.assert(
      fc.property(fc.array(demand, { minLength: 1 }), fc.nat({ max: 200 }), (demands, available) => {
        const widths = fitWidths(demands, available);
        const least = demands.reduce((sum, column) => sum + column.least, 0);
        const natural = demands.reduce((sum, column) => sum + column.natural, 0);
        if (least > available) {
          expect(widths).toBeNull();
          return;
        }
        expect(widths?.reduce((sum, width) => sum + width, 0)).toBe(Math.min(natural, available));
        for (const [index, { least: min, natural: max }] of demands.entries()) {
          expect(widths?.[index]).toBeGreaterThanOrEqual(min);
          expect(widths?.[index]).toBeLessThanOrEqual(max);
        }
      }),
    );
  });
});
