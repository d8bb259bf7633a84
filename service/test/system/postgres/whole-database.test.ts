import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createGate } from "../../../../test/support/gate.js";
import { failed } from "../../../../test/support/outcomes.js";
import { createInstallation } from "../../../../test/support/spawned.js";
import { temporaryFolder } from "../../../../test/support/temporary-folder.js";
import { openService } from "../../../service.js";
import { checkStore } from "../../../store/check.js";
import { copyStore } from "../../../store/copy.js";
import { openStore } from "../../../store/open.js";
import type { LongWorkOptions, Store } from "../../../store/store.js";
import { querySql, runSql } from "../../support/database.js";
import { activityBody, eventBody, SCHEDULE } from "../../support/event-bodies.js";
import { createSchema, querySchema, type Schema } from "../../support/postgres.js";
import { changeCalendar, request } from "../../support/send.js";
import { createWorld, NOW, type World } from "../../support/world.js";

/** What works on a database as a whole, on PostgreSQL, and between it and SQLite in both directions. */

let world: World;
let folder: string;
let other: Schema;
let eventId: string;
beforeEach(async () => {
  world = await createWorld({ stored: true, rateLimit: null });
  folder = temporaryFolder();
  other = createSchema({ isNew: true });
  const { admin } = world.service;
  await admin.clients.add({ name: "App", redirectUris: ["http://127.0.0.1/a", "http://127.0.0.1/b"] });
  await admin.ensureLocalUser({ name: "local" });
  const attendees = [world.member, world.second].map(({ id }) => `${world.calendarId},${id}`);
  const event = { ...SCHEDULE, title: 'A "日本語" 😀\u2028\\' };
  ({ id: eventId } = await changeCalendar(world, "POST", "events", eventBody(event, { attendees })));
  await changeCalendar(world, "POST", `events/${eventId}/activities`, activityBody("Text"));
});
afterEach(async () => {
  await world.close();
  await other.remove();
});

const quiet: LongWorkOptions = { onProgress: () => undefined, signal: new AbortController().signal };
const failure = (message: string) => ({ exitCode: 10, message: expect.stringContaining(message) });

async function copy(from: string, to: string, options: Partial<LongWorkOptions> = {}) {
  const source = await openStore(from, { readOnly: true });
  const target = await openStore(to, { migrate: false });
  try {
    return await copyStore({ source, target }, { ...quiet, ...options });
  } finally {
    await target.close();
    await source.close();
  }
}

async function problemsOf(database: string): Promise<readonly string[]> {
  const store = await openStore(database, { readOnly: true });
  try {
    const findings = await checkStore(store, quiet);
    return findings.filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail}`);
  } finally {
    await store.close();
  }
}

/** Adds rows for more than one part, with ids whose order depends on who compares them. */
const ADD_EVENTS = (random: string) => `
  insert into events
    select (case n % 4 when 0 then 'é' when 1 then 'Z' when 2 then 'z' else '_' end) || cast(n as text) || ${random},
      calendar_id, category, title, all_day, start_at, start_timezone, end_at, end_timezone, description, location,
      url, label_number, creator_id, created_at, updated_at, events.revision, moves, null, null, ''
    from events, numbers where id = '`;

test("everything goes to SQLite and back, and is the same", async () => {
  await world.tables.change(
    `with numbers as (select generate_series(1, 600) as n) ${ADD_EVENTS("chr(128512 + n % 50)")}${eventId}';
    insert into idempotency_keys select calendar_id, creator_id, id, 'x', id, 1 from events`,
  );
  const file = join(folder, "copy.db");
  const there = await copy(world.database, file);
  expect(there.find(({ table }) => table === "events")?.rows).toBe(601);
  const back = await copy(file, other.database);
  expect(back).toEqual(there);
  for (const { table } of there) {
    const count = `select count(*) as count from ${table}`;
    expect(await querySchema(other.database, count), table).toEqual(await querySchema(world.database, count));
  }
  const service = await openService({ database: other.database, now: () => NOW, rateLimit: null });
  onTestFinished(() => service.close());
  const { status } = await request(
    { ...world, service },
    `GET /calendars/${world.calendarId}/upcoming_events`,
  );
  expect(status).toBe(200);
  runSql(file, `delete from events where id <> '${eventId}'`);
  expect(await problemsOf(file)).toEqual([]);
});

test.each(["to SQLite", "to PostgreSQL"])("%s an interruption leaves nothing", async (direction) => {
  await world.tables.change(
    `with numbers as (select generate_series(1, 600) as n) ${ADD_EVENTS("''")}${eventId}'`,
  );
  const target = direction === "to SQLite" ? join(folder, "copy.db") : other.database;
  const controller = new AbortController();
  const onProgress = ({ what, done }: { readonly what: string; readonly done: number }) => {
    if (what === "copying events" && done > 500) controller.abort(new Error("interrupted here"));
  };
  await expect(copy(world.database, target, { onProgress, signal: controller.signal })).rejects.toThrow(
    "interrupted here",
  );
  const tables = await copy(world.database, target);
  expect(tables.find(({ table }) => table === "events")?.rows).toBe(601);
  await expect(copy(world.database, target)).rejects.toMatchObject(failure("the target is not empty"));
});

test.each([
  ["text in a column of numbers", "created_at = 'x'", "events with an invalid created_at: "],
  ["a blob in a column of text", "url = x'ff'", "events with an invalid url: "],
])("a source with %s is said to be damaged", async (_, change, problem) => {
  const file = join(folder, "copy.db");
  await copy(world.database, file);
  runSql(file, `update events set ${change}`);
  await expect(copy(file, other.database)).rejects.toMatchObject(
    failure(`the source is damaged: ${problem}${eventId}`),
  );
});

test("a source on PostgreSQL that lacks a column is said to be damaged", async () => {
  await world.tables.change("alter table events drop column created_at");
  await expect(copy(world.database, join(folder, "copy.db"))).rejects.toMatchObject(
    failure("the source is damaged: missing columns: events.created_at bigint"),
  );
});

test("what is written to the source meanwhile is not copied", async () => {
  const file = join(folder, "copy.db");
  let change: Promise<void> | undefined;
  const onProgress = () => {
    change ??= world.tables.change("update users set disabled = 1; delete from activities");
  };
  await copy(world.database, file, { onProgress });
  await change;
  expect(querySql(file, "select id from users where disabled = 1")).toEqual([]);
  expect(querySql(file, "select count(*) as count from activities")).toEqual([{ count: 1 }]);
});

test("a database that the service wrote passes a check; what is wrong is found", async () => {
  expect(await problemsOf(world.database)).toEqual([]);
  await world.tables.change(
    "update members set position = 7 where position = 0; update users set login_key = id",
  );
  await world.tables.change(`update events set end_at = start_at - 1 where id = '${eventId}'`);
  expect(await problemsOf(world.database)).toEqual([
    expect.stringContaining("order: users whose calendars have gaps"),
    expect.stringContaining("users: users who cannot be found by login"),
    `events: events that end before they start: ${eventId}`,
  ]);
});

test("a restore that lacks constraints and indexes is found", async () => {
  // What pg_restore leaves without its section post-data.
  await world.tables.change(`
    do $$ declare command text; begin
      for command in select format('alter table %s drop constraint %I cascade', conrelid::regclass, conname)
        from pg_constraint where connamespace = current_schema()::regnamespace and contype in ('p', 'u')
      loop execute command; end loop;
      for command in select format('drop index %I', indexname) from pg_indexes where schemaname = current_schema()
      loop execute command; end loop;
    end $$`);
  expect(await problemsOf(world.database)).toEqual([
    "schema: missing indexes: users (login_key) unique, users (id) unique, calendars (id) unique, …",
  ]);
});

test("values that cannot be read, or mean nothing, are found", async () => {
  await world.tables.change(`
    update events set start_at = -9000000000000000000;
    update users set disabled = 2 where id = '${world.second.id}';
    alter table activities alter column content drop not null;
    update activities set content = null, id = 'comment'`);
  expect(await problemsOf(world.database)).toEqual([
    `values: users with an invalid disabled: ${world.second.id}; events with an invalid start_at: ${eventId}; activities with an invalid content: comment`,
  ]);
});

test("a column that is missing, or of another type, is found, and what an operator added is no problem", async () => {
  await world.tables.change(
    "create table notes (id text); create index own on events (title); alter table events add column own text",
  );
  expect(await problemsOf(world.database)).toEqual([]);
  await world.tables.change(
    "alter table events drop column created_at; alter table users alter column created_at type text",
  );
  expect(await problemsOf(world.database)).toEqual([
    "schema: missing columns: users.created_at bigint, events.created_at bigint",
  ]);
});

test("an interruption ends a query that waits in the server", async () => {
  const locked = createGate();
  const released = createGate();
  const schema = new URL(world.database).searchParams.get("schema");
  const other = await openStore(world.database, {});
  onTestFinished(() => other.close());
  const holding = other.write(async (db) => {
    await db.run("lock table events in access exclusive mode");
    locked.open();
    await released.opened;
  });
  await locked.opened;
  const controller = new AbortController();
  const { signal } = controller;
  const store = await openStore(world.database, { readOnly: true, signal: () => signal });
  onTestFinished(() => store.close());
  const checking = checkStore(store, { ...quiet, signal });
  checking.catch(() => undefined);
  const waiting = `select 1 from pg_locks where not granted and relation = '${schema}.events'::regclass`;
  await expect.poll(() => querySchema(world.database, waiting)).toHaveLength(1);
  controller.abort(new Error("interrupted here"));
  await expect(checking).rejects.toThrow("interrupted here");
  released.open();
  await holding;
});

test("a check makes no tables, and does not migrate", async () => {
  await expect(problemsOf(other.database)).rejects.toMatchObject(failure("is empty"));
  expect(
    await querySchema(other.database, "select 1 from pg_tables where schemaname = current_schema()"),
  ).toEqual([]);
  await world.tables.change("update calctl_schema set version = 5");
  await expect(problemsOf(world.database)).rejects.toMatchObject(failure("was written by an earlier calctl"));
  expect(await querySchema(world.database, "select version from calctl_schema")).toEqual([{ version: 5 }]);
});

/** Remembers the timeouts of every transaction that reads. */
function createWatch() {
  const seen = new Set<string>();
  return {
    seen,
    watch: (store: Store): Store => ({
      ...store,
      read: (work, options) =>
        store.read(async (db) => {
          const rows = await db.all<{ readonly timeouts: string }>(
            `select current_setting('statement_timeout') || ', '
              || current_setting('idle_in_transaction_session_timeout') as timeouts`,
          );
          for (const { timeouts } of rows) seen.add(timeouts);
          return work(db);
        }, options),
    }),
  };
}

describe("a large database may take longer than a request", () => {
  const LONG = "10min, 10min";

  test("to check", async () => {
    const { seen, watch } = createWatch();
    const store = await openStore(world.database, { readOnly: true });
    onTestFinished(() => store.close());
    await checkStore(watch(store), quiet);
    expect([...seen]).toEqual([LONG]);
  });

  test("to copy and to compare", async () => {
    const { seen, watch } = createWatch();
    const source = await openStore(world.database, { readOnly: true });
    onTestFinished(() => source.close());
    const target = await openStore(other.database, {});
    onTestFinished(() => target.close());
    await copyStore({ source: watch(source), target: watch(target) }, quiet);
    expect([...seen]).toEqual([LONG]);
  });

  test("to administer, while requests may not", async () => {
    const { seen, watch } = createWatch();
    const service = await openService({
      database: world.database,
      now: () => NOW,
      rateLimit: null,
      observer: {
        store: watch,
        requests: (handle) => handle,
      },
    });
    onTestFinished(() => service.close());
    const { users, calendars, members, tokens, clients } = service.admin;
    await users.list();
    await calendars.list();
    await calendars.inspect(world.calendarId);
    await members.list(world.calendarId);
    await tokens.list();
    await clients.list();
    expect([...seen]).toEqual([LONG]);
    seen.clear();
    await request({ ...world, service }, "GET /calendars");
    expect([...seen]).toEqual(["30s, 30s"]);
  });
});

test("the commands take URLs; a backup says what to use", async () => {
  const { run } = createInstallation({ CALCTL_SERVICE_DB: world.database });
  expect(await run("service", "check")).toMatchObject({ exitCode: 0, stderr: "" });
  const backup = await run("service", "backup", "copy.db");
  expect(backup).toMatchObject(failed(2, "pg_dump"));
  const copied = await run("service", "copy", "--from", world.database, "--to", join(folder, "copy.db"));
  expect(copied).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^users\t4\t/) });
});
