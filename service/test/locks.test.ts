import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { insert as insertRows } from "../store/sql.js";
import { openStore } from "../store/sqlite/open.js";
import { DatabaseUnavailableError, type Store, type Transaction } from "../store/store.js";
import { openConnection, querySql, runSql } from "./support/database.js";
import { eventBody, SCHEDULE } from "./support/event-bodies.js";
import { request } from "./support/send.js";
import { createWorld } from "./support/world.js";

/** A second connection to the database stands for another process. */

/** @param options.log whether the database has a write-ahead log, as it usually has */
async function openStage({ log = true }: { readonly log?: boolean } = {}) {
  const folder = temporaryFolder();
  const made = join(folder, "made.db");
  await (await openStore(made)).close();
  const path = join(folder, "calendar.db");
  copyFileSync(made, path);
  if (!log) runSql(path, "pragma journal_mode = delete");
  const other = openConnection(path);
  // Whoever reads at that moment prevents that the store switches to a write-ahead log.
  if (!log) other.exec("begin; select * from settings");
  const pauses: number[] = [];
  const stage = { path, other, pauses, duringPause: (): unknown => undefined };
  /** A pause takes one turn of the event loop. */
  const sleep = async (pause: number): Promise<void> => {
    pauses.push(pause);
    stage.duringPause();
    await nextTurn();
  };
  const store = await openStore(path, { sleep });
  if (!log) other.exec("commit");
  pauses.length = 0;
  expect(querySql(path, "pragma journal_mode")).toEqual([{ journal_mode: log ? "wal" : "delete" }]);
  onTestFinished(async () => {
    other.close();
    await store.close();
  });
  return Object.assign(stage, { store, sleep });
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const insertSetting = (db: Transaction) =>
  db.run("insert into settings (name, value) values ('local_user_id', '1')");

async function insert(store: Store, timeout?: number): Promise<void> {
  await store.write(insertSetting, { timeout });
}

const count = (store: Store) => store.read(async (db) => (await db.all("select name from settings")).length);

test("a write that finds the database locked leaves the connection usable", async () => {
  const { store, other } = await openStage();
  other.exec("begin immediate");
  const error = await insert(store, 0).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseUnavailableError);
  expect(error).toMatchObject({ code: "unavailable", exitCode: 8 });
  expect(await count(store)).toBe(0);
  other.exec("rollback");
  await insert(store, 0);
  expect(await count(store)).toBe(1);
});

test("reads and the event loop go on while writes wait, which are done later", async () => {
  const { store, other } = await openStage();
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  other.exec("begin immediate");
  const writes = ["first", "second"].map((value) =>
    store.write((db) => insertRows(db, "users", [userRow(value)])).then(note(`wrote ${value}`)),
  );
  expect(await count(store)).toBe(0);
  note("read")();
  await nextTurn();
  note("event loop")();
  other.exec("commit");
  await Promise.all(writes);
  expect(done.slice(0, 2)).toEqual(["read", "event loop"]);
  expect(done.slice(2).sort()).toEqual(["wrote first", "wrote second"]);
});

function userRow(name: string) {
  const texts = { password_hash: null, description: "", image_url: "" };
  return { id: name, name, login: name, login_key: name, ...texts, disabled: 0, created_at: 0 } as const;
}

test.each([
  ["ten seconds", undefined, 10_000],
  ["the time that the caller gives it", 200, 200],
])("a write gives up after %s, in growing pauses", async (_, timeout, total) => {
  const { store, other, pauses } = await openStage();
  other.exec("begin immediate");
  await expect(insert(store, timeout)).rejects.toThrow(DatabaseUnavailableError);
  expect(pauses.reduce((sum, pause) => sum + pause)).toBe(total);
  expect(pauses[0]).toBeLessThanOrEqual(10);
  for (const pause of pauses.slice(0, -1)) expect(pause).toBeGreaterThanOrEqual(5);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(50);
});

test("a COMMIT that finds readers of a database without a write-ahead log repeats the whole write", async () => {
  const stage = await openStage({ log: false });
  stage.other.exec("begin; select * from settings");
  stage.duringPause = () => {
    if (stage.pauses.length === 3) stage.other.exec("commit");
  };
  let attempts = 0;
  await stage.store.write((db) => {
    attempts += 1;
    return insertSetting(db);
  });
  expect({ attempts, pauses: stage.pauses.length }).toEqual({ attempts: 4, pauses: 3 });
  expect(await count(stage.store)).toBe(1);
});

test("a read of a database that is locked without a write-ahead log is repeated", async () => {
  const stage = await openStage({ log: false });
  stage.other.exec("begin exclusive");
  stage.duringPause = () => stage.other.exec("commit");
  expect(await count(stage.store)).toBe(0);
  expect(stage.pauses).toHaveLength(1);
});

test("opening waits for a process that locks everything", async () => {
  const stage = await openStage({ log: false });
  stage.other.exec("begin exclusive");
  stage.duringPause = () => {
    if (stage.pauses.length === 2) stage.other.exec("commit");
  };
  await (await openStore(stage.path, { sleep: stage.sleep })).close();
  expect(stage.pauses).toHaveLength(2);
});

test("the wait ends with the reason of the signal", async () => {
  const controller = new AbortController();
  const folder = temporaryFolder();
  const path = join(folder, "calendar.db");
  const store = await openStore(path, { signal: () => controller.signal });
  const other = openConnection(path);
  other.exec("begin immediate");
  const writing = insert(store);
  await count(store);
  controller.abort(new Error("interrupted"));
  await expect(writing).rejects.toThrow("interrupted");
  other.close();
  await store.close();
});

test("a request that waits for too long is answered 503 with Retry-After, others are answered", async () => {
  const world = await createWorld({ rateLimit: null, sleep: async () => undefined });
  const other = openConnection(world.database);
  other.exec("begin immediate");
  const create = () =>
    request(world, `POST /calendars/${world.calendarId}/events`, { body: eventBody(SCHEDULE) });
  const locked = await create();
  expect(locked).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect((await request(world, "GET /calendars")).status).toBe(200);
  other.exec("commit");
  expect((await create()).status).toBe(201);
  other.close();
  await world.close();
});

test("what waits for the database is not done once nobody waits for the answer", async () => {
  let onPause: () => void = () => undefined;
  const pause = new Promise<void>((resolve) => {
    onPause = resolve;
  });
  const sleep = async () => {
    onPause();
    await nextTurn();
  };
  const world = await createWorld({ sleep });
  onTestFinished(() => world.close());
  const release = await world.tables.lock();
  const route = `POST /calendars/${world.calendarId}/events`;
  const answer = request(world, route, { body: eventBody(SCHEDULE) });
  await pause;
  world.service.abandonWaiting();
  await release();
  expect((await answer).status).toBe(503);
  expect(await world.tables.query("select id from events")).toEqual([]);
});
