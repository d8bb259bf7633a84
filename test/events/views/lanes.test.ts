import fc from "fast-check";
import { expect, test } from "vitest";
import { type Interval, placeInLanes } from "../../../src/events/views/grid-rows.js";

const lanesOf = (...intervals: readonly (readonly [number, number])[]) =>
  placeInLanes(intervals.map(([start, end]) => ({ start, end }))).map(
    ({ item, lane, lanes }) => `${item.start}-${item.end} ${lane + 1}/${lanes}`,
  );

test("intervals that do not overlap have a lane of their own", () => {
  expect(lanesOf([9, 10], [10, 11])).toEqual(["9-10 1/1", "10-11 1/1"]);
});

test("a group that overlaps, directly or through others, shares the lanes that it needs", () => {
  expect(lanesOf([11, 13], [9, 12], [12, 14], [20, 21])).toEqual([
    "9-12 1/2",
    "11-13 2/2",
    "12-14 1/2",
    "20-21 1/1",
  ]);
});

test("no two intervals share a place, and no group has more lanes than intervals at one time", () => {
  const interval = fc
    .tuple(fc.nat(40), fc.integer({ min: 1, max: 20 }))
    .map(([start, length]): Interval => ({ start, end: start + length }));
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 12 }), (intervals) => {
      const placed = placeInLanes(intervals);
      const at = (time: number) => placed.filter(({ item }) => item.start <= time && time < item.end);
      for (let time = 0; time < 60; time += 1) {
        const lanes = at(time).map(({ lane }) => lane);
        expect(new Set(lanes).size).toBe(lanes.length);
      }
      const most = Math.max(0, ...intervals.map(({ start }) => at(start).length));
      expect(Math.max(0, ...placed.map(({ lanes }) => lanes))).toBe(most);
    }),
  );
});
