import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { openService } from "../service.js";
import { checkStore } from "../store/check.js";
import { copyStore } from "../store/copy.js";
import { openStore } from "../store/sqlite/open.js";
import type { LongWorkOptions, Store } from "../store/store.js";
import { LASTING_TABLES } from "../store/tables.js";
import { querySql, readDatabase, runSql } from "./support/database.js";
import { activityBody, eventBody, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** Copies of everything in a database to another one. */

/** Events of most tests, and more than one part of them. */
const EVENTS = 9;
const MANY = 501;

let world: World;
let template: Uint8Array;
let largeTemplate: Uint8Array;
let folder: string;
let from: string;
let to: string;
beforeAll(async () => {
  world = await createWorld({ rateLimit: null });
  const { admin } = world.service;
  await admin.clients.add({ name: "App", redirectUris: ["http://127.0.0.1/a", "http://127.0.0.1/b"] });
  await admin.ensureLocalUser({ name: "local" });
  const attendees = [world.member, world.second].map(({ id }) => `${world.calendarId},${id}`);
  const title = 'A "日本語" 😀\u2028\\';
  const { id } = await changeCalendar(
    world,
    "POST",
    "events",
    eventBody({ ...SCHEDULE, title }, { attendees }),
  );
  await changeCalendar(world, "POST", `events/${id}/activities`, activityBody("Text"));
  const deleted = await changeCalendar(world, "POST", "events", eventBody(SCHEDULE));
  await changeCalendar(world, "DELETE", `events/${deleted.id}`);
  await world.service.close();
  const original = readDatabase(world.database);
  addRows(id, EVENTS);
  template = readDatabase(world.database);
  writeFileSync(world.database, original);
  addRows(id, MANY);
  largeTemplate = readDatabase(world.database);
});
afterAll(() => world.close());
beforeEach(() => {
  folder = temporaryFolder();
  from = join(folder, "source.db");
  writeFileSync(from, template);
  to = join(folder, "copy.db");
});

/** Adds copies of an event until there are so many, and a row of every other table. */
function addRows(id: string, events: number): void {
  // Ids whose order depends on who compares them.
  runSql(
    world.database,
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${events - 1})
    insert into events select
        case n % 4 when 0 then 'é' when 1 then 'Z' when 2 then 'z' else '_' end || n || char(0x1f600 + n % 50),
        calendar_id, category, title, all_day, start_at, start_timezone, end_at, end_timezone, description,
        location, url, label_number, creator_id, created_at, updated_at, revision, moves, null, null, ''
      from events, numbers where id = '${id}';
    insert into attendees select id, '${world.member.id}', 0 from events where id <> '${id}';
    insert into idempotency_keys select calendar_id, creator_id, id, 'x', id, 1 from events limit 9;
    insert into feeds select id, creator_id, title, calendar_id, 1, 'UTC', id, 1, null, null from events limit 9;
    insert into sign_in_attempts values ('x', 1, 1);
    insert into sessions values ('x', '${world.member.id}', 1)`,
  );
}

/** Makes the source one whose events and attendees take more than one part. */
const useLargeSource = () => writeFileSync(from, largeTemplate);

const quiet: LongWorkOptions = { onProgress: () => undefined, signal: new AbortController().signal };

async function withStores<T>(work: (stores: { source: Store; target: Store }) => Promise<T>): Promise<T> {
  const source = await openStore(from, { readOnly: true });
  const target = await openStore(to, { migrate: false });
  try {
    return await work({ source, target });
  } finally {
    await target.close();
    await source.close();
  }
}

const copy = (options: Partial<LongWorkOptions> = {}) =>
  withStores((stores) => copyStore(stores, { ...quiet, ...options }));

const NAMES = [...LASTING_TABLES, "settings"];

function expectEqual(): void {
  for (const name of NAMES) {
    const rows = (path: string) =>
      querySql(path, `select * from ${name}`)
        .map((row) => JSON.stringify(row))
        .sort();
    expect(rows(to), name).toEqual(rows(from));
  }
}

const failure = (message: string) => ({ exitCode: 10, message: expect.stringContaining(message) });

test("every table is copied, but for what is forgotten anyway", () => {
  const all = querySql(from, "select name from sqlite_schema where type = 'table'");
  const left = all.map(({ name }) => name).filter((name) => !NAMES.some((copied) => copied === name));
  expect(left.sort()).toEqual(["authorization_codes", "sessions", "sign_in_attempts"]);
});

test("a copy is equal, private, and can be served", async () => {
  useLargeSource();
  const tables = await copy();
  expectEqual();
  expect(tables.find(({ table }) => table === "events")).toEqual({
    table: "events",
    rows: MANY,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(tables.map(({ table }) => table)).toEqual(LASTING_TABLES);
  expect(querySql(to, "select * from sessions union all select * from sign_in_attempts")).toEqual([]);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  const service = await openService({ database: to, now: () => NOW, rateLimit: null });
  const { status } = await request({ ...world, service }, "GET /user");
  expect(status).toBe(200);
  await service.close();
});

test("what the service wrote passes a check after it was copied", async () => {
  runSql(from, "delete from events where length(id) <> 32");
  const weekly = { ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY;COUNT=9"] };
  const service = await openService({ database: from, now: () => NOW, rateLimit: null });
  const writer = { ...world, service };
  const { id } = await changeCalendar(writer, "POST", "events", eventBody(weekly));
  await changeCalendar(writer, "DELETE", `events/${id}_20261128T120000Z`);
  await service.close();
  await copy();
  expect(querySql(to, `select count(*) as rows from events where series_id = '${id}'`)).toEqual([
    { rows: 8 },
  ]);
  const store = await openStore(to, { readOnly: true });
  expect((await checkStore(store, quiet)).filter(({ ok }) => !ok)).toEqual([]);
  await store.close();
});

test("interrupted anywhere, it leaves nothing, and can be made again", async () => {
  let total = 0;
  const onProgress = () => {
    total += 1;
  };
  await copy({ onProgress });
  for (let last = 1; last < total; last += 5) {
    to = join(folder, `copy-${last}.db`);
    let calls = 0;
    const controller = new AbortController();
    const interrupt = () => {
      calls += 1;
      if (calls === last) controller.abort(new Error("interrupted here"));
    };
    const work = copy({ onProgress: interrupt, signal: controller.signal });
    await expect(work).rejects.toThrow("interrupted here");
    expect(querySql(to, "select id from users union all select id from events")).toEqual([]);
  }
  await copy();
  expectEqual();
});

test("an interruption is noticed between its parts, although no query waits", async () => {
  useLargeSource();
  const controller = new AbortController();
  const parts = new Map<string, number>();
  const onProgress = ({ what, done }: { readonly what: string; readonly done: number }) => {
    if (what === "copying events" && parts.size > 0 && !parts.has(what))
      setImmediate(() => controller.abort(new Error("interrupted here")));
    parts.set(what, done);
  };
  await expect(copy({ onProgress, signal: controller.signal })).rejects.toThrow("interrupted here");
  expect([...parts.keys()].at(-1)).toBe("copying events");
  await copy();
  expectEqual();
});

test("what is written to the source meanwhile is not copied", async () => {
  const before = querySql(from, "select id from events order by id");
  let isChanged = false;
  await copy({
    onProgress() {
      if (isChanged) return;
      isChanged = true;
      runSql(
        from,
        `delete from attendees; delete from events; update users set name = 'Changed', disabled = 1`,
      );
    },
  });
  expect(isChanged).toBe(true);
  expect(querySql(to, "select id from events order by id")).toEqual(before);
  expect(querySql(to, "select id from users where disabled = 1")).toEqual([]);
});

test("a source is copied whose revisions are the largest that there are", async () => {
  runSql(from, `update calendars set revision = ${Number.MAX_SAFE_INTEGER}`);
  expect((await copy()).length).toBe(LASTING_TABLES.length);
});

test("a target with anything in it is refused and stays as it is", async () => {
  const other = await createWorld();
  to = other.database;
  const before = querySql(to, "select * from users");
  await expect(copy()).rejects.toMatchObject(failure("the target is not empty"));
  expect(querySql(to, "select * from users")).toEqual(before);
  expect(querySql(to, "select * from settings")).toEqual([]);
  runSql(to, "pragma user_version = 3");
  await expect(copy()).rejects.toMatchObject(failure("was written by an earlier calctl"));
  expect(querySql(to, "pragma user_version")).toEqual([{ user_version: 3 }]);
  await other.close();
});

test("a source whose index hides rows is refused, and nothing is copied", async () => {
  useLargeSource();
  // What refers to them would fail.
  runSql(from, "delete from attendees; delete from activities");
  const [index] = querySql(
    from,
    "select rootpage from sqlite_schema where name = 'sqlite_autoindex_events_1'",
  );
  const bytes = Buffer.from(readDatabase(from));
  const pageAt = (number: number) => (number - 1) * 4_096;
  // The last page below it. Half of its rows are no longer found, by nobody who asks for rows in this order.
  const leaf = pageAt(bytes.readUInt32BE(pageAt(Number(index?.["rootpage"])) + 8));
  bytes.writeUInt16BE(Math.floor(bytes.readUInt16BE(leaf + 3) / 2), leaf + 3);
  writeFileSync(from, bytes);
  const hidden = "select (select count(*) from events indexed by sqlite_autoindex_events_1) as count";
  expect(Number(querySql(from, hidden)[0]?.["count"])).toBeLessThan(MANY);
  const progress: string[] = [];
  await expect(copy({ onProgress: ({ what }) => void progress.push(what) })).rejects.toMatchObject({
    ...failure("the source is damaged: "),
    hint: expect.stringContaining("calctl service check --db SOURCE"),
  });
  expect(progress).toEqual(["checking the source"]);
  expect(querySql(to, "select id from users union all select id from events")).toEqual([]);
});

test("a column that an operator added stays where it is", async () => {
  const before = querySql(from, "select * from users order by id");
  runSql(from, "alter table users add column own text default 'x'");
  await copy();
  expect(querySql(to, "select * from users order by id")).toEqual(before);
});

test.each<[string, (userId: string) => string, (userId: string) => string]>([
  [
    "a number that cannot be read",
    (id) => `update users set created_at = 9000000000000000000 where id = '${id}'`,
    (id) => `users with an invalid created_at: ${id}`,
  ],
  ["a table missing", () => "drop table attendees", () => "missing tables: attendees"],
  [
    "rows that refer to none",
    (id) => `pragma foreign_keys = off; delete from users where id = '${id}'`,
    () => "attendees without their row in users: rowid ",
  ],
])("a source with %s is said to be damaged", async (_, damage, message) => {
  const { id } = world.second;
  runSql(from, damage(id));
  await expect(copy()).rejects.toMatchObject({
    ...failure(`the source is damaged: ${message(id)}`),
    hint: expect.stringContaining("calctl service check --db SOURCE"),
  });
});
