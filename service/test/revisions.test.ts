import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../contract/date-time.js";
import { addSample } from "../admin/sample.js";
import { DELETION_MEMORY, MAX_DELETIONS } from "../store/deletions.js";
import type { EventRow } from "../store/schema.js";
import { openStore } from "../store/sqlite/open.js";
import { querySql, runSql } from "./support/database.js";
import { eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.close());

const change = (method: "POST" | "PUT" | "DELETE", path: string, body?: object) =>
  changeCalendar(world, method, path, body);

function revisionOf(calendarId = world.calendarId): number {
  const [row] = querySql(world.database, `select revision from calendars where id = '${calendarId}'`);
  return Number(row?.["revision"]);
}

const comment = { data: { attributes: { content: "I do" } } };

describe("the revision of a calendar", () => {
  test("grows by one with each write to its events, which remember it", async () => {
    const start = revisionOf();
    const { id } = await change("POST", "events", eventBody(SCHEDULE));
    expect(revisionOf()).toBe(start + 1);
    const own = `select revision from events where id = '${id}'`;
    expect(querySql(world.database, own)).toEqual([{ revision: start + 1 }]);
    await change("PUT", `events/${id}`, eventBody(KEEP));
    expect(querySql(world.database, own)).toEqual([{ revision: start + 2 }]);
    await change("POST", `events/${id}/activities`, comment);
    expect(revisionOf()).toBe(start + 3);
    expect(querySql(world.database, own)).toEqual([{ revision: start + 2 }]);
    await change("DELETE", `events/${id}`);
    expect(revisionOf()).toBe(start + 4);
    const deleted = "select event_id, revision, deleted_at from deleted_events";
    expect(querySql(world.database, deleted)).toEqual([
      { event_id: id, revision: start + 4, deleted_at: NOW },
    ]);
  });

  test("grows with what is done to the calendar, its labels and members, and not that of another one", async () => {
    const { calendars, labels, members } = world.service.admin;
    const id = world.calendarId;
    const foreign = revisionOf(world.foreignCalendarId);
    for (const write of [
      () => calendars.set(id, { name: "Home" }),
      () => labels.set(id, 2, { name: "Urgent" }),
      () => members.add("outsider", id),
      () => members.remove("outsider", id),
    ]) {
      const before = revisionOf();
      await write();
      expect(revisionOf()).toBe(before + 1);
    }
    expect(revisionOf(world.foreignCalendarId)).toBe(foreign);
  });

  test.each([
    ["a body that is not valid", "POST", "events", { data: {} }, 400],
    ["an event that does not exist", "DELETE", "events/nope", undefined, 404],
    ["a comment that is not valid", "POST", "events/nope/activities", comment, 404],
    ["a read", "GET", "events", undefined, 200],
  ])("stays after %s", async (_, method, path, body, status) => {
    const before = revisionOf();
    const route = `${method} /calendars/${world.calendarId}/${path}`;
    expect((await request(world, route, { body })).status).toBe(status);
    expect(revisionOf()).toBe(before);
  });

  test("is another one for each event of the sample", async () => {
    const store = await openStore(":memory:");
    await addSample({ store, now: () => NOW, passwordCost: { ln: 4, r: 1, p: 1 } });
    const rows = await store.read((db) =>
      db.all<Pick<EventRow, "calendar_id" | "revision">>("select calendar_id, revision from events"),
    );
    expect(new Set(rows.map((row) => `${row.calendar_id} ${row.revision}`)).size).toBe(rows.length);
    await store.close();
  });
});

/** What is remembered of deletions. */
const memory = {
  count: () => Number(querySql(world.database, "select count(*) as n from deleted_events")[0]?.["n"]),
  from: () => {
    const query = `select changes_from from calendars where id = '${world.calendarId}'`;
    return Number(querySql(world.database, query)[0]?.["changes_from"]);
  },
};

test("deletions are forgotten after 30 days, a few at each later one, which moves where changes begin", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1)
    ids.push((await change("POST", "events", eventBody(SCHEDULE))).id);
  for (const id of ids.slice(0, 8)) await change("DELETE", `events/${id}`);
  const last = revisionOf();
  const { count, from } = memory;
  world.clock.now += DELETION_MEMORY;
  await change("DELETE", `events/${ids[8]}`);
  expect({ count: count(), from: from() }).toEqual({ count: 9, from: 1 });
  world.clock.now += 1;
  await change("DELETE", `events/${ids[9]}`);
  expect({ count: count(), from: from() }).toEqual({ count: 6, from: last - 4 });
  await change("DELETE", `events/${ids[10]}`);
  expect({ count: count(), from: from() }).toEqual({ count: 3, from: last });
  expect(DELETION_MEMORY).toBe(30 * DAY_MS);
});

test("the oldest deletions are forgotten, a few at each later one, when a calendar has too many", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push((await change("POST", "events", eventBody(SCHEDULE))).id);
  const start = revisionOf();
  const many = MAX_DELETIONS + 4;
  runSql(
    world.database,
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${many})
    insert into deleted_events select '${world.calendarId}', ${start} + n, 'deleted' || n, ${NOW} from numbers;
    update calendars set revision = ${start + many} where id = '${world.calendarId}'`,
  );
  const { count, from } = memory;
  await change("DELETE", `events/${ids[0]}`);
  expect({ count: count(), from: from() }).toEqual({ count: many - 3, from: start + 4 });
  await change("DELETE", `events/${ids[1]}`);
  expect({ count: count(), from: from() }).toEqual({ count: MAX_DELETIONS, from: start + 6 });
  const ask = async (since: number) =>
    (await request(world, `GET /calendars/${world.calendarId}/changes?since=${since}`)).status;
  expect([await ask(start + 5), await ask(start + 6)]).toEqual([410, 200]);
});
