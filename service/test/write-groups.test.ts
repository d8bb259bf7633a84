import { join } from "node:path";
import { sql } from "kysely";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { openStore } from "../store/sqlite/open.js";
import { DatabaseUnavailableError, type Transaction } from "../store/store.js";
import { querySql } from "./support/database.js";

/** Writes that are asked for at the same time, in one process. */

async function openStage() {
  const folder = temporaryFolder();
  const path = join(folder, "calendar.db");
  const store = await openStore(path);
  onTestFinished(() => store.close());
  return { path, store, keys: () => keysOf(path) };
}

const keysOf = (path: string) =>
  querySql(path, "select key from sign_in_attempts order by key").map(({ key }) => key);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds after which a group takes no more writes. */
const LONG = 10;

// So that a busy machine ends no group.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
});

const insert = (db: Transaction, key: string) =>
  db.insertInto("sign_in_attempts").values({ key, window_start: 0, attempts: 1 }).execute();

test("are committed together, and confirmed not before", async () => {
  const { store, keys } = await openStage();
  const confirmed: string[] = [];
  const seen: unknown[] = [];
  const write = (key: string) =>
    store
      .write(async (db) => {
        await insert(db, key);
        seen.push([keys(), [...confirmed]]);
        return key;
      })
      .then((value) => confirmed.push(value));
  await Promise.all(["a", "b", "c"].map(write));
  expect(seen).toEqual([
    [[], []],
    [[], []],
    [[], []],
  ]);
  expect([keys(), confirmed]).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
});

test("one that fails leaves nothing, and the others are done", async () => {
  const { store, keys } = await openStage();
  const outcomes = await Promise.allSettled([
    store.write((db) => insert(db, "a")),
    store.write(async (db) => {
      await insert(db, "b");
      throw new Error("not this one");
    }),
    store.write((db) => insert(db, "a")),
    store.write((db) => insert(db, "c")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: { message: "not this one" } });
  expect(keys()).toEqual(["a", "c"]);
});

test("each sees what those before it have written", async () => {
  const { store } = await openStage();
  const counts = await Promise.all(
    ["a", "b", "c"].map((key) =>
      store.write(async (db) => {
        await insert(db, key);
        return (await db.selectFrom("sign_in_attempts").select("key").execute()).length;
      }),
    ),
  );
  expect(counts).toEqual([1, 2, 3]);
});

test("of those for which one has no room on the disk, the others are done", async () => {
  const { store, keys } = await openStage();
  await store.read(async (db) => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit(Number(rows[0]?.page_count) + 20)}`.execute(db);
  });
  const outcomes = await Promise.allSettled([
    store.write((db) => insert(db, "a")),
    store.write((db) => insert(db, "b".repeat(1_000_000))),
    store.write((db) => insert(db, "c")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: expect.any(DatabaseUnavailableError) });
  expect(keys()).toEqual(["a", "c"]);
});

describe("of which some take long", () => {
  test("those that are short are committed in groups of 32, between which reads have their turn", async () => {
    const { store, keys } = await openStage();
    const committed: number[] = [];
    const reads: Promise<number>[] = [];
    const count = async (db: Transaction) =>
      (await db.selectFrom("sign_in_attempts").select("key").execute()).length;
    const writes = Array.from({ length: 70 }, (_, number) =>
      store.write(async (db) => {
        committed.push(keys().length);
        await insert(db, String(number));
        if (number === 10 || number === 40) reads.push(store.read(count));
      }),
    );
    await Promise.all(writes);
    expect(await Promise.all(reads)).toEqual([32, 64]);
    expect(committed).toEqual([...Array(32).fill(0), ...Array(32).fill(32), ...Array(6).fill(64)]);
  });

  test("a long one ends its group: reads, and writes of others, come before the rest", async () => {
    const { store } = await openStage();
    const done: string[] = [];
    const write = (client: string, name: string) =>
      store.write(
        async (db) => {
          vi.advanceTimersByTime(LONG);
          await insert(db, name);
          done.push(name);
        },
        { client },
      );
    const read = (client: string, name: string) =>
      store.read(
        async (db) => {
          await db.selectFrom("sign_in_attempts").select("key").execute();
          done.push(name);
        },
        { client },
      );
    const first = [write("ana", "a1"), write("ana", "a2"), write("ana", "a3"), write("ben", "b1")];
    await first[0];
    await Promise.all([read("eva", "e1"), ...first]);
    expect(done).toEqual(["a1", "e1", "b1", "a2", "a3"]);
  });

  test("one of another client is confirmed after at most one more long one", async () => {
    const { store } = await openStage();
    const confirmed: string[] = [];
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const writes: Promise<unknown>[] = [];
    for (const name of ["a1", "a2", "a3", "a4", "b1"]) {
      const work = async (db: Transaction) => {
        if (name === "a1") await released;
        vi.advanceTimersByTime(LONG);
        await insert(db, name);
      };
      writes.push(store.write(work, { client: name.slice(0, 1) }).then(() => confirmed.push(name)));
      // Enough for those that come at the same time to be one group.
      for (const _ of Array(4)) await nextTurn();
    }
    release();
    await Promise.all(writes);
    expect(confirmed).toEqual(["a1", "b1", "a2", "a3", "a4"]);
  });
});

test("one read of each client after the other has its turn", async () => {
  const { store } = await openStage();
  const done: string[] = [];
  const read = (name: string) =>
    store.read(
      async (db) => {
        await db.selectFrom("sign_in_attempts").select("key").execute();
        done.push(name);
      },
      { client: name.slice(0, 1) },
    );
  await Promise.all(["a1", "a2", "a3", "b1", "c1", "b2"].map(read));
  expect(done).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});
