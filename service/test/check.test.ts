import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { words } from "../../test/support/words.js";
import { checkStore } from "../store/check.js";
import { backUp } from "../store/sqlite/backup.js";
import { openStore } from "../store/sqlite/open.js";
import type { WorkProgress } from "../store/store.js";
import { querySql, readDatabase, repeatUser, runSql } from "./support/database.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

/** What `service check` finds in databases, good and bad. */

let world: World;
let eventId: string;
let seriesId: string;
/** Databases that the service wrote, without and with series. */
let template: Uint8Array;
let withSeries: Uint8Array;
/** Empty at the beginning of each test. */
let folder: string;
/** A copy of the template, which the test may change. */
let database: string;
const at = (day: string) => `${seriesId}_202611${day}T120000Z`;

beforeAll(async () => {
  world = await createWorld();
  const clients = world.service.admin.clients;
  await clients.add({ name: "App", redirectUris: ["http://127.0.0.1/a", "http://127.0.0.1/b"] });
  const attendees = [world.member, world.second].map(({ id }) => `${world.calendarId},${id}`);
  const event = { ...SCHEDULE, title: 'Lunch "日本語" \u2028' };
  ({ id: eventId } = await create("events", eventBody(event, { attendees })));
  await create("events", eventBody(KEEP));
  await create(`events/${eventId}/activities`, activityBody("Text"));
  template = readDatabase(world.database);
  const daily = { ...SCHEDULE, recurrences: ["RRULE:FREQ=DAILY;COUNT=9"] };
  ({ id: seriesId } = await create("events", eventBody(daily)));
  await changeCalendar(world, "PUT", `events/${at("23")}`, eventBody({ ...SCHEDULE, title: "Dinner" }));
  await changeCalendar(world, "DELETE", `events/${at("24")}`);
  await create("events", eventBody({ ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY"] }));
  withSeries = readDatabase(world.database);
});
afterAll(() => world.close());
beforeEach(() => {
  folder = temporaryFolder();
  database = join(temporaryFolder(), "calendar.db");
  writeFileSync(database, template);
});

const create = (path: string, body: object) => changeCalendar(world, "POST", path, body);

async function check(path = database) {
  const store = await openStore(path, { readOnly: true });
  try {
    const { signal } = new AbortController();
    return await checkStore(store, { signal, onProgress: () => undefined });
  } finally {
    await store.close();
  }
}

/** The checks that fail, with what they say. */
async function problems(): Promise<readonly string[]> {
  return (await check()).filter(({ ok }) => !ok).map(({ check: name, detail }) => `${name}: ${detail}`);
}

test("a database that the service wrote passes, and its contents are counted", async () => {
  const findings = await check();
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  expect(findings.map((finding) => finding.check)).toEqual(words`file schema contents values references
    order revisions users events series`);
  expect(findings[2]?.detail).toBe("3 users, 2 calendars, 2 events, 1 comment");
});

test("an interruption is noticed between its parts, although no query waits", async () => {
  const store = await openStore(database, { readOnly: true });
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error("interrupted here")));
  const progress: WorkProgress[] = [];
  const checking = checkStore(store, {
    signal: controller.signal,
    onProgress: (at) => progress.push(at),
  });
  await expect(checking).rejects.toThrow("interrupted here");
  expect(progress.map(({ what }) => what)).toEqual(["checking the file"]);
  await store.close();
});

/** Of each three lines: what is wrong, the SQL that makes it so, and what is said of it. */
const WRONG = `
a feed of a user that is missing
  insert into feeds values ('feed', 'none', 'Phone', 'c', 0, 'UTC', 'hash', 1, null, null)
  references: feeds without their row in users: rowid 1
a token of a client that is missing
  update tokens set client = 'none' where id = (select min(id) from tokens)
  references: tokens without their row in clients: rowid 
a comment of a user that is missing
  update activities set user_id = 'none'
  references: activities without their row in users: rowid 1
a key of a calendar that is missing
  insert into idempotency_keys values ('none', 'MEMBER', 'a', 'x', 'EVENT', 1)
  references: idempotency_keys without their row in calendars: rowid 1
a user of the profile local that is missing
  insert into settings values ('local_user_id', 'none')
  references: the user of the profile local is missing: none
a gap in the calendars of a user
  update members set position = 1 where user_id = 'OUTSIDER'
  order: users whose calendars have gaps: OUTSIDER
a gap between attendees
  update attendees set position = 2 * position
  order: events whose attendees have gaps: EVENT
members of the same rank
  update members set rank = 1
  order: calendars with members of the same rank: CALENDAR
a calendar without members
  delete from members where calendar_id = 'FOREIGN'
  order: calendars without members: FOREIGN
a label that is missing
  delete from labels where calendar_id = 'FOREIGN' and number = 10
  order: calendars without their 10 labels: FOREIGN
an event of a later revision than its calendar
  update calendars set revision = 1 where id = 'CALENDAR'
  revisions: calendars whose revision is behind that of their events: CALENDAR
details of a later revision than their calendar
  update calendars set details_revision = revision + 1 where id = 'CALENDAR'
  revisions: calendars whose revision is behind that of their details or changes: CALENDAR
changes that begin later than their calendar
  update calendars set changes_from = revision + 1 where id = 'CALENDAR'
  revisions: calendars whose revision is behind that of their details or changes: CALENDAR
a deleted event that is still there
  insert into deleted_events values ('CALENDAR', 1, 'EVENT', 1)
  revisions: deleted events that exist: EVENT
text in a column of numbers
  update events set created_at = 'x' where id = 'EVENT'
  values: events with an invalid created_at: EVENT
a fraction in a column of whole numbers
  update events set updated_at = 0.5 where id = 'EVENT'
  values: events with an invalid updated_at: EVENT
a revision that is not a number
  update calendars set revision = 'abc' where id = 'CALENDAR'
  values: calendars with an invalid revision: CALENDAR
a flag that is neither 0 nor 1
  update events set all_day = 5 where id = 'EVENT'
  values: events with an invalid all_day: EVENT
a time that is too large for a number
  update activities set created_at = 9e18, id = 'comment'
  values: activities with an invalid created_at: comment
a time of an event that is too large for a number
  update events set start_at = 9000000000000000000 where id = 'EVENT'
  values: events with an invalid start_at: EVENT
a blob in a column of text
  update users set description = x'ff' where id = 'SECOND'
  values: users with an invalid description: SECOND
a key of two columns
  update members set rank = 'x' where user_id = 'SECOND'
  values: members with an invalid rank: CALENDAR SECOND
a login that is not found
  update users set login_key = 'x' where id = 'SECOND'
  users: users who cannot be found by login: SECOND
an event with an end and no start
  update events set start_at = null where id = 'EVENT'
  events with only some of their times
an event that ends before it starts
  update events set end_at = start_at - 1 where id = 'EVENT'
  events that end before they start: EVENT
a time that is no whole number
  update events set start_at = 1e300, end_at = 1e300 where id = 'EVENT'
  values: events with an invalid start_at: EVENT; events with an invalid end_at: EVENT
a time that JavaScript does not have
  update events set end_at = 9007199254740991 where id = 'EVENT'
  events: events with invalid times: EVENT
`;

/** With the ids for which the words in capitals stand. */
function withIds(text: string): string {
  const ids: Readonly<Record<string, string>> = {
    EVENT: eventId,
    CALENDAR: world.calendarId,
    FOREIGN: world.foreignCalendarId,
    MEMBER: world.member.id,
    SECOND: world.second.id,
    OUTSIDER: world.outsider.id,
  };
  return text.replace(/[A-Z]{5,}/g, (name) => ids[name] ?? name);
}

test.each(
  WRONG.trim()
    .split(/\n(?=\S)/)
    .map((row) => row.split("\n  ")),
)("%s is found", async (_, sql = "", problem = "a third line") => {
  runSql(database, `pragma foreign_keys = off; ${withIds(sql)}`);
  const found = await problems();
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(withIds(problem));
});

test("tables that are missing are found, also those whose rows are not kept, and nothing else is read", async () => {
  runSql(database, "drop table deleted_events; drop table sessions");
  expect(await problems()).toEqual(["schema: missing tables: sessions, deleted_events"]);
});

test("a column that is missing is found, and nothing else is read", async () => {
  runSql(database, "alter table events drop column created_at; drop index events_by_start");
  expect((await check()).map(({ check: name }) => name)).toEqual(["file", "schema"]);
  expect(await problems()).toEqual([
    "schema: missing columns: events.created_at bigint; missing indexes: events (calendar_id, start_at, id)",
  ]);
});

test("keys that are missing are found", async () => {
  repeatUser(database, world.second.id);
  expect(await problems()).toEqual(["schema: missing indexes: users (login_key) unique, users (id) unique"]);
});

test("what an operator added is no problem", async () => {
  runSql(
    database,
    `create table notes (id integer primary key, text text); create index own on events (title);
    alter table events add column own text; create view today as select * from events`,
  );
  expect(await problems()).toEqual([]);
});

test("a reference of two columns is found too", async () => {
  runSql(database, `pragma foreign_keys = off; update events set label_number = 11 where id = '${eventId}'`);
  const [event] = querySql(database, `select rowid from events where id = '${eventId}'`);
  expect(await problems()).toEqual([
    `references: events without their row in labels: rowid ${event?.["rowid"]}`,
  ]);
});

/** Adds an event again, with other values. */
function repeatEvent(condition: string, other: Readonly<Record<string, string>>): void {
  const names = Object.keys(querySql(database, "select * from events limit 1")[0] ?? {});
  const values = names.map((name) => other[name] ?? name);
  runSql(database, `insert into events select ${values} from events where ${condition}`);
}

test("only the first of many are named", async () => {
  for (const id of ["a", "b", "c", "d"])
    repeatEvent(`title = '${KEEP.title}' limit 1`, { id: `'${id}'`, end_at: "1" });
  expect(await problems()).toEqual([expect.stringMatching(/of their times: \S+, \S+, \S+, …$/)]);
});

const backUpTo = (file: string) =>
  backUp(database, file, { signal: new AbortController().signal, now: 0, onProgress: () => undefined });

test("pages that are damaged are found, and nothing else is read", async () => {
  const damaged = join(folder, "damaged.db");
  await backUpTo(damaged);
  const [index] = querySql(damaged, "select rootpage from sqlite_schema where name = 'events_by_start'");
  const bytes = readFileSync(damaged);
  // The end of an entry: SQLite fills pages from their end.
  const end = Number(index?.["rootpage"]) * 4_096 - 1;
  bytes.writeUInt8(bytes.readUInt8(end) ^ 1, end);
  writeFileSync(damaged, bytes);
  const findings = await check(damaged);
  expect(findings).toMatchObject([
    { check: "file", ok: false, detail: expect.stringContaining("index events_by_start") },
  ]);
});

describe("a backup", () => {
  test("is checked as it is: nothing is written to it or beside it", async () => {
    const file = join(folder, "copy.db");
    await backUpTo(file);
    chmodSync(file, 0o400);
    const hash = () => createHash("sha256").update(readFileSync(file)).digest("hex");
    const before = hash();
    expect((await check(file)).filter(({ ok }) => !ok)).toEqual([]);
    expect(hash()).toBe(before);
    expect(readdirSync(folder)).toEqual(["copy.db"]);
  });

  test.each([
    [2, "was written by an earlier calctl"],
    [99, "was written by a newer calctl"],
  ])("of schema version %d is not migrated, but refused", async (version, message) => {
    runSql(database, `pragma user_version = ${version}`);
    await expect(check()).rejects.toMatchObject({ exitCode: 10, message: expect.stringContaining(message) });
  });

  test.each([
    ["missing.db", "does not exist"],
    ["other.db", "is not a database of calctl"],
  ])("%s that %s is refused, and not made", async (name, message) => {
    runSql(join(folder, "other.db"), "create table events (id)");
    await expect(check(join(folder, name))).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining(message),
    });
    expect(readdirSync(folder)).toEqual(["other.db"]);
  });
});

describe("a series", () => {
  beforeEach(async () => {
    writeFileSync(database, withSeries);
    expect(await problems()).toEqual([]);
  });

  test("lacks an occurrence", async () => {
    runSql(database, `delete from events where id = '${at("25")}'`);
    expect(await problems()).toEqual([`series: series without some of their occurrences: ${seriesId}`]);
  });

  test("has one twice, one that its rule does not give, and one that is another", async () => {
    const first = `id = '${at("21")}'`;
    repeatEvent(first, { id: "'twice'" });
    repeatEvent(first, { id: `'${at("24")}'`, slot: `${Date.parse("2026-11-24T12:00:00Z")}` });
    runSql(database, `update events set title = 'Tea' where id = '${at("26")}'`);
    expect(await problems()).toEqual([
      `revisions: deleted events that exist: ${at("24")}`,
      [
        `series: occurrences that are there twice: ${at("21")}`,
        `occurrences that differ from their series: ${at("24")}, ${at("26")}`,
        `occurrences that the rule of their series does not give: ${at("24")}`,
      ].join("; "),
    ]);
  });

  test("cannot be read", async () => {
    runSql(database, `update series set recurrences = 'RRULE:FREQ=NEVER' where id = '${seriesId}'`);
    expect(await problems()).toEqual([`series: series with a rule that cannot be read: ${seriesId}`]);
  });
});
