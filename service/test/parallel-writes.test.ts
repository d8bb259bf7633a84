import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { openStore } from "../store/sqlite/open.js";
import { DatabaseUnavailableError, type OpenStoreOptions, type Transaction } from "../store/store.js";
import { querySql } from "./support/database.js";

/** Writes that are asked for at the same time, in one process. */

async function openStage(options: OpenStoreOptions = {}) {
  const folder = temporaryFolder();
  const path = join(folder, "calendar.db");
  const store = await openStore(path, options);
  onTestFinished(() => store.close());
  return { path, store, keys: () => keysOf(path) };
}

const keysOf = (path: string) =>
  querySql(path, "select key from sign_in_attempts order by key").map(({ key }) => key);

const insert = (db: Transaction, key: string) =>
  db.run("insert into sign_in_attempts (key, window_start, attempts) values (?, 0, 1)", key);

const count = async (db: Transaction) => (await db.all("select key from sign_in_attempts")).length;

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
        return count(db);
      }),
    ),
  );
  expect(counts).toEqual([1, 2, 3]);
});

test("of those for which one has no room on the disk, the others are done", async () => {
  const { store, keys } = await openStage();
  await store.read(async (db) => {
    const [size] = await db.all<{ readonly page_count: number }>("pragma page_count");
    await db.run(`pragma max_page_count = ${Number(size?.page_count) + 20}`);
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

test("more of them than are committed together leave turns to reads", async () => {
  const { store } = await openStage();
  const reads: Promise<number>[] = [];
  const writes = Array.from({ length: 70 }, (_, number) =>
    store.write(async (db) => {
      await insert(db, String(number));
      if (number === 0) reads.push(store.read(count));
    }),
  );
  await Promise.all(writes);
  expect((await reads[0]) ?? 70).toBeLessThan(70);
});

test("one read of each client after the other has its turn", async () => {
  const { store } = await openStage({ isServed: true });
  const done: string[] = [];
  const read = (name: string) =>
    store.read(
      async (db) => {
        await count(db);
        done.push(name);
      },
      { client: name.slice(0, 1) },
    );
  await Promise.all(["a1", "a2", "a3", "b1", "c1", "b2"].map(read));
  expect(done).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});
