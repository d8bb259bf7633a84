import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { openStore } from "../store/sqlite/open.js";
import type { Store, Transaction } from "../store/store.js";
import { openConnection, querySql, runSql } from "./support/database.js";

/** Reads of a database that is served, which do not wait for long transactions. */

async function openServed(path: string): Promise<Store> {
  const store = await openStore(path, { isServed: true, sleep: async () => undefined });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= store.close());
  onTestFinished(close);
  return { ...store, close };
}

async function openStage() {
  const path = join(temporaryFolder(), "calendar.db");
  return { path, store: await openServed(path) };
}

const insert = (db: Transaction) =>
  db.run("insert into sign_in_attempts (key, window_start, attempts) values ('a', 0, 1)");

const countIn = async (db: Transaction) => (await db.all("select key from sign_in_attempts")).length;

const count = (store: Store, client = "ana") => store.read(countIn, { client });

test("go on while a write is under way, and see what it wrote once it is confirmed", async () => {
  const { store } = await openStage();
  const seen = await store.write(async (db) => {
    await insert(db);
    return count(store);
  });
  expect([seen, await count(store)]).toEqual([0, 1]);
});

test("go on while those of five other clients are under way, each on one snapshot", async () => {
  const { store } = await openStage();
  const others = Array.from({ length: 5 }, (_, number) => `client ${number}`);
  const seen = await others.reduce<() => Promise<unknown[]>>(
    (goOn, client) => () =>
      store.read(
        async (db) => {
          const before = await countIn(db);
          return [...(await goOn()), before, await countIn(db)];
        },
        { client },
      ),
    async () => {
      await store.write(insert);
      return [await count(store, "ben")];
    },
  )();
  expect(seen).toEqual([1, ...Array(10).fill(0)]);
});

test("cannot write", async () => {
  const { store } = await openStage();
  await expect(store.read(insert)).rejects.toThrow("cannot be read and written");
  expect(await count(store)).toBe(0);
});

test("wait for a write where the database has no log: another process prevented the switch", async () => {
  const folder = temporaryFolder();
  const made = join(folder, "made.db");
  await (await openStore(made)).close();
  const path = join(folder, "calendar.db");
  copyFileSync(made, path);
  runSql(path, "pragma journal_mode = delete");
  const other = openConnection(path);
  other.exec("begin; select * from settings");
  const store = await openServed(path);
  other.close();
  expect(querySql(path, "pragma journal_mode")).toEqual([{ journal_mode: "delete" }]);
  const done: string[] = [];
  const reads: Promise<unknown>[] = [];
  await store.write(async (db) => {
    reads.push(count(store).then(() => done.push("read")));
    await new Promise((resolve) => setImmediate(resolve));
    await insert(db);
    done.push("write");
  });
  await Promise.all(reads);
  expect(done).toEqual(["write", "read"]);
});

test("keep nothing in the log once the database is closed: the file can be copied on its own", async () => {
  const { path, store } = await openStage();
  await store.write(insert);
  expect(await count(store)).toBe(1);
  await store.close();
  copyFileSync(path, `${path}.copy`);
  expect(querySql(`${path}.copy`, "select key from sign_in_attempts")).toEqual([{ key: "a" }]);
});

test("the log begins anew after large writes", async () => {
  const { path, store } = await openStage();
  for (const key of ["a", "b", "c"])
    await store.write((db) =>
      db.run(
        "insert into sign_in_attempts (key, window_start, attempts) values (?, 0, 1)",
        key.repeat(3_000_000),
      ),
    );
  await store.write(insert);
  const megabytes = [path, `${path}-wal`].map((file) => Math.floor(statSync(file).size / 1_000_000));
  expect(megabytes).toEqual([18, 4]);
});
