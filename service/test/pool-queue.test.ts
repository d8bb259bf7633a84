import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type ConnectionRequest, createPoolQueue, type PoolQueue } from "../store/postgres/pool-queue.js";

/** Which transactions have a connection, and in which order those that wait get one. */

const TIMEOUT = 10_000;

let queue: PoolQueue;
/** Those that got a connection, and what gives it back. */
let admitted: Map<string, () => void>;

beforeEach(() => {
  queue = createPoolQueue(10);
  admitted = new Map();
});

/** Resolves when all that can be admitted are. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function enter(names: readonly string[], request: Partial<ConnectionRequest>): Promise<void> {
  for (const name of names) {
    void queue.enter({ client: "", timeout: TIMEOUT, ...request }).then((leave) => {
      if (leave !== null) admitted.set(name, leave);
    });
  }
  await nextTurn();
}

const write = (names: readonly string[], client: string, scope: string) =>
  enter(names, { client, scope: [scope] });

async function leave(name: string): Promise<void> {
  admitted.get(name)?.();
  admitted.delete(name);
  await nextTurn();
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}`);

test("writes of one scope have two connections, whoever they are from", async () => {
  await write(["a1", "a2"], "ana", "calendar");
  await write(["b1"], "ben", "calendar");
  expect([[...admitted.keys()], queue.waiting()]).toEqual([["a1", "a2"], 1]);
  await leave("a1");
  expect([[...admitted.keys()], queue.waiting()]).toEqual([["a2", "b1"], 0]);
});

test("a write waits while any of its scopes has as many as it may", async () => {
  await enter(["a1", "a2"], { client: "ana", scope: ["login", "address"] });
  await enter(["b1"], { client: "ben", scope: ["other", "address"] });
  await enter(["c1"], { client: "eva", scope: ["other"] });
  expect([...admitted.keys()]).toEqual(["a1", "a2", "c1"]);
});

test("writes of one client have three connections, and those of others go on", async () => {
  for (const index of [1, 2, 3, 4]) await write([`a${index}`], "ana", `calendar ${index}`);
  await write(["b1"], "ben", "calendar 9");
  expect([...admitted.keys()]).toEqual(["a1", "a2", "a3", "b1"]);
});

test("a write of a client does not wait for its earlier ones of another scope", async () => {
  await write(numbered("a", 9), "ana", "locked");
  await write(["other"], "ana", "free");
  expect([...admitted.keys()]).toEqual(["a1", "a2", "other"]);
});

test("writes leave half of the connections to reads", async () => {
  for (const client of numbered("client", 9)) await write([client], client, client);
  expect([admitted.size, queue.isFull()]).toEqual([5, false]);
  await enter(numbered("read", 6), {});
  expect([admitted.size, queue.waiting(), queue.isFull()]).toEqual([10, 5, true]);
  await leave("client1");
  expect([admitted.has("client6"), admitted.has("read6")]).toEqual([true, false]);
  await leave("read1");
  expect(admitted.has("read6")).toBe(true);
});

test("reads may have all connections, and one is enough for either", async () => {
  await enter(numbered("read", 10), {});
  expect(admitted.size).toBe(10);
  queue = createPoolQueue(1);
  admitted = new Map();
  await write(["write"], "ana", "calendar");
  expect([admitted.size, queue.isFull()]).toEqual([1, true]);
});

test("one of each client after the other gets a connection", async () => {
  await enter(numbered("first", 10), { client: "first" });
  await enter(numbered("ana", 3), { client: "ana" });
  await enter(numbered("ben", 2), { client: "ben" });
  await write(["eva"], "eva", "calendar");
  for (const name of numbered("first", 6)) await leave(name);
  expect([...admitted.keys()].slice(4)).toEqual(["ana1", "ben1", "eva", "ana2", "ben2", "ana3"]);
});

describe("a transaction that gets no connection in time", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
  });

  test("gives up, and no place is kept for it", async () => {
    await write(["a1", "a2"], "ana", "calendar");
    const late = queue.enter({ client: "ana", scope: ["calendar"], timeout: 5 });
    await write(["a3"], "ana", "calendar");
    const alone = queue.enter({ client: "ben", scope: ["calendar"], timeout: 5 });
    vi.advanceTimersByTime(5);
    expect([await late, await alone, queue.waiting()]).toEqual([null, null, 1]);
    await leave("a1");
    expect([...admitted.keys()]).toEqual(["a2", "a3"]);
  });

  test("does not wait at all with a timeout of 0", async () => {
    await write(["a1", "a2"], "ana", "calendar");
    expect(await queue.enter({ client: "ana", scope: ["calendar"], timeout: 0 })).toBeNull();
    expect(await queue.enter({ client: "ana", scope: ["other"], timeout: 0 })).not.toBeNull();
    expect(queue.waiting()).toBe(0);
  });
});

test("writes that reads wait for do not wait for other writes", async () => {
  for (const client of numbered("client", 9)) await write([client], client, client);
  for (const key of numbered("rate", 3)) {
    await enter([key], { client: "rate limit", scope: [key], readsWait: true });
  }
  expect([...admitted.keys()]).toEqual([...numbered("client", 5), ...numbered("rate", 2)]);
});
