import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../contract/date-time.js";
import { addSample } from "../admin/sample.js";
import { DELETION_MEMORY } from "../store/changes.js";
import { openStore } from "../store/sqlite/open.js";
import { querySql } from "./support/database.js";
import { eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { createWorld, NOW, type World } from "./support/world.js";

let world: World;

beforeEach(async () => {
  world = await createWorld({ stored: true });
});

afterEach(() => world.close());

interface Sent {
  readonly status: number;
  readonly id: string;
}

async function send(method: string, path: string, body?: object): Promise<Sent> {
  const answer = await world.service.handle(
    {
      method,
      target: `/calendars/${world.calendarId}/${path}`,
      headers: { "content-type": "application/json" },
      body: new TextEncoder().encode(JSON.stringify(body ?? "")),
    },
    { kind: "local", userId: world.member.id },
  );
  const text = new TextDecoder().decode(answer.body);
  return { status: answer.status, id: text === "" ? "" : JSON.parse(text).data?.id };
}

function revisionOf(calendarId = world.calendarId): number {
  const [row] = querySql(world.database, `select revision from calendars where id = '${calendarId}'`);
  return Number(row?.["revision"]);
}

const comment = { data: { attributes: { content: "I do" } } };

describe("the revision of a calendar", () => {
  test("grows by one with each write to its events, which remember it", async () => {
    const start = revisionOf();
    const { id } = await send("POST", "events", eventBody(SCHEDULE));
    expect(revisionOf()).toBe(start + 1);
    const own = `select revision from events where id = '${id}'`;
    expect(querySql(world.database, own)).toEqual([{ revision: start + 1 }]);
    await send("PUT", `events/${id}`, eventBody(KEEP));
    expect(querySql(world.database, own)).toEqual([{ revision: start + 2 }]);
    expect((await send("POST", `events/${id}/activities`, comment)).status).toBe(201);
    expect(revisionOf()).toBe(start + 3);
    expect(querySql(world.database, own)).toEqual([{ revision: start + 2 }]);
    await send("DELETE", `events/${id}`);
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
    for (const change of [
      () => calendars.set(id, { name: "Home" }),
      () => labels.set(id, 2, { name: "Urgent" }),
      () => members.add("outsider", id),
      () => members.remove("outsider", id),
    ]) {
      const before = revisionOf();
      await change();
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
    expect((await send(method, path, body)).status).toBe(status);
    expect(revisionOf()).toBe(before);
  });

  test("is another one for each event of the sample", async () => {
    const store = await openStore(":memory:");
    await addSample({ store, now: () => NOW, passwordCost: { ln: 4, r: 1, p: 1 } });
    const rows = await store.read((db) =>
      db.selectFrom("events").select(["calendar_id", "revision"]).execute(),
    );
    expect(new Set(rows.map((row) => `${row.calendar_id} ${row.revision}`)).size).toBe(rows.length);
    await store.close();
  });
});

test("deletions are forgotten after 30 days, a few at each later one, which moves where changes begin", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1)
    ids.push((await send("POST", "events", eventBody(SCHEDULE))).id);
  for (const id of ids.slice(0, 8)) await send("DELETE", `events/${id}`);
  const last = revisionOf();
  const count = () => Number(querySql(world.database, "select count(*) as n from deleted_events")[0]?.["n"]);
  const from = () =>
    Number(
      querySql(world.database, `select changes_from from calendars where id = '${world.calendarId}'`)[0]?.[
        "changes_from"
      ],
    );
  world.clock.now += DELETION_MEMORY;
  await send("DELETE", `events/${ids[8]}`);
  expect({ count: count(), from: from() }).toEqual({ count: 9, from: 1 });
  world.clock.now += 1;
  await send("DELETE", `events/${ids[9]}`);
  expect({ count: count(), from: from() }).toEqual({ count: 6, from: last - 4 });
  await send("DELETE", `events/${ids[10]}`);
  expect({ count: count(), from: from() }).toEqual({ count: 3, from: last });
  expect(DELETION_MEMORY).toBe(30 * DAY_MS);
});

test("each event is stored as answers have it", async () => {
  const { id } = await send("POST", "events", eventBody({ ...SCHEDULE, title: 'Ü "🗓"' }));
  const stored = () =>
    String(querySql(world.database, `select json from events where id = '${id}'`)[0]?.["json"]);
  expect(JSON.parse(stored())).toMatchObject({ id, attributes: { title: 'Ü "🗓"' } });
  await send("PUT", `events/${id}`, eventBody({ ...SCHEDULE, title: "Other" }));
  expect(JSON.parse(stored())).toMatchObject({ id, attributes: { title: "Other" } });
});
