import { expect, test } from "vitest";
import { createLine, createPlaces } from "../fair-queue.js";

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

test("a client has one of several places, the others are for other clients", async () => {
  const run = createPlaces(["first", "second"]);
  const done: string[] = [];
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const long = run("ana", async () => {
    while (done.length < 2) await turn();
  });
  const next = run("ana", async (place) => done.push(`ana ${place}`));
  await run("ben", async (place) => done.push(`ben ${place}`));
  await run("eva", async (place) => done.push(`eva ${place}`));
  await Promise.all([long, next]);
  expect(done).toEqual(["ben second", "eva second", "ana first"]);
});
