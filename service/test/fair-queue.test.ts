import { expect, test } from "vitest";
import { createLine } from "../fair-queue.js";

test("work that waits for nothing leaves turns of the event loop to others", async () => {
  const run = createLine();
  let turns = 0;
  const countTurns = () => {
    turns += 1;
    turn = setImmediate(countTurns);
  };
  let turn = setImmediate(countTurns);
  const seen = Array.from({ length: 4 }, () => run("ana", async () => turns));
  expect(await Promise.all(seen)).toEqual([0, 1, 2, 3]);
  clearImmediate(turn);
});
