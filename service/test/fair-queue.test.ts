import { expect, test } from "vitest";
import { createLine } from "../fair-queue.js";

test("work that waits for nothing leaves turns of the event loop to others", async () => {
  let now = 0;
  const run = createLine(() => now);
  let turns = 0;
  const countTurns = () => {
    turns += 1;
    turn = setImmediate(countTurns);
  };
  let turn = setImmediate(countTurns);
  const seen = Array.from({ length: 6 }, () =>
    run("ana", async () => {
      now += 3;
      return turns;
    }),
  );
  // Two in each turn.
  expect(await Promise.all(seen)).toEqual([0, 0, 1, 1, 2, 2]);
  clearImmediate(turn);
});
