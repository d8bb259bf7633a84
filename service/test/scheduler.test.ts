import { expect, test } from "vitest";
import { createScheduler } from "../http/scheduler.js";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Runs work of some keys, and records what ran in each turn of the event loop. */
async function runInTurns(keys: readonly string[], step: number): Promise<string[]> {
  let time = 0;
  const scheduler = createScheduler(() => {
    time += step;
    return time;
  });
  const ran: string[] = [];
  for (const key of keys) void scheduler.run(key, async () => ran.push(key));
  const perTurn: string[] = [];
  while (perTurn.join("").length < keys.length) {
    await nextTurn();
    perTurn.push(ran.splice(0).join(""));
  }
  return perTurn;
}

test("small work of one client is done in one turn, as long as there is time", async () => {
  expect(await runInTurns([..."aaaaaaaa"], 0)).toEqual(["aaaaaaaa"]);
});

test("work that takes longer is done one at a time, of each client", async () => {
  expect(await runInTurns([..."aaab"], 1)).toEqual(["ab", "a", "a"]);
});

test("whoever has waited longest is next, however much another sends", async () => {
  expect(await runInTurns([..."aaaaaabbcc"], 0)).toEqual(["abcabcaaaa"]);
});

test("work waits for connections that are accepted, but not for long", async () => {
  let time = 0;
  const scheduler = createScheduler(() => time);
  let ranAt: number | null = null;
  void scheduler.run("a", async () => {
    ranAt = time;
  });
  while (ranAt === null) {
    scheduler.noteConnection();
    await nextTurn();
    time += 1;
  }
  expect(ranAt).toBe(10);
});
