import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { MAX_ATTENDEES, MAX_DESCRIPTION, MAX_LOCATION, MAX_TITLE, MAX_URL } from "../../contract/limits.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { SINGLE } from "../occurrence.js";
import { eventResource } from "../resources.js";
import { groupByCalendar } from "../store/calendars.js";
import {
  eventSizes,
  eventsInWindow,
  listEventsInWindow,
  listSeriesMadeUntil,
} from "../store/event-windows.js";
import { insertEvent, sizeOfEvent } from "../store/events.js";
import { changedOccurrences } from "../store/feed-entries.js";
import { statementsAfter } from "../store/migrations.js";
import { eventsFrom, eventsWithoutTimes, WITHOUT_TIMES } from "../store/pages.js";
import type { EventContent, SeriesRow } from "../store/schema.js";
import { storeSeries } from "../store/series.js";
import { openStore } from "../store/sqlite/open.js";
import type { Store, Transaction } from "../store/store.js";
import { runSql } from "./support/database.js";
import { NOW } from "./support/world.js";

const END = NOW + 7 * DAY_MS;
const WEEK = { start: NOW, end: END, firstDate: NOW, endDate: END, spanStart: NOW, spanEnd: END };

const CALENDAR = "calendar-000";
const USER = "100000000000000000";

const EVENT: EventContent = {
  id: "0".repeat(32),
  calendar_id: CALENDAR,
  category: "schedule",
  title: "T",
  all_day: 0,
  start_at: NOW,
  start_timezone: "UTC",
  end_at: NOW + HOUR_MS,
  end_timezone: "UTC",
  description: "",
  location: "",
  url: "",
  label_number: 1,
  ...SINGLE,
  creator_id: USER,
  created_at: NOW,
  updated_at: NOW,
};

async function openCalendar(): Promise<Store> {
  const store = await openStore(":memory:");
  await store.write(async (db) => {
    await sql`insert into users values (${USER}, 'Ana', 'ana', 'ana', null, '', '', 0, 1)`.execute(db);
    await sql`insert into calendars values (${CALENDAR}, 'Family', '', '', '', 1, 1, 1, 1)`.execute(db);
    await sql`insert into labels values (${CALENDAR}, 1, '', '#2ecc87')`.execute(db);
  });
  return store;
}

/** How SQLite would run a query: its steps. */
async function planOf(query: (db: Transaction) => Explained): Promise<readonly string[]> {
  const store = await openCalendar();
  const plan = await store.read((db) =>
    query(db).explain<{ readonly detail: string }>(undefined, sql`query plan`),
  );
  await store.close();
  return plan.map(({ detail }) => detail);
}

type Explained = Pick<ReturnType<typeof eventsFrom>, "explain">;

describe("the events of a window", () => {
  test("are found by calendar, length and start, so that earlier and later ones are not visited", async () => {
    const plan = await planOf((db) =>
      eventsInWindow(db, { calendarId: CALENDAR, ...WEEK }).selectAll("events"),
    );
    const search =
      "SEARCH events USING INDEX events_by_length (calendar_id=? AND <expr>=? AND start_at>? AND start_at<?)";
    expect(plan.filter((step) => /\bevents\b/.test(step))).toEqual([search]);
  });

  test("and those that begin in it are found in order, from the end of the page before on", async () => {
    const after = { start: NOW + HOUR_MS, id: "0" };
    const query = { calendarId: CALENDAR, window: WEEK, after, since: NOW };
    expect(await planOf((db) => eventsFrom(db, query).selectAll())).toEqual([
      "SEARCH events USING INDEX events_by_start (calendar_id=? AND (start_at,id)>(?,?) AND start_at<?)",
    ]);
  });

  test("and keeps without times are found in order, without those that have some", async () => {
    const query = { calendarId: CALENDAR, after: { start: WITHOUT_TIMES, id: "0" } };
    expect(await planOf((db) => eventsWithoutTimes(db, query).selectAll())).toEqual([
      "SEARCH events USING INDEX events_by_start (calendar_id=? AND start_at=? AND id>?)",
    ]);
  });

  test("are summed from the index alone", async () => {
    const query = { calendarId: CALENDAR, creatorId: USER, ...WEEK };
    expect(await planOf((db) => eventSizes(db, query, false))).toContain(
      "SEARCH events USING COVERING INDEX events_by_length (calendar_id=? AND <expr>=? AND start_at>? AND start_at<?)",
    );
  });

  const hours = (days: number) => fc.integer({ min: -days * 24, max: days * 24 });
  const length = fc.oneof(
    fc.integer({ min: 0, max: 48 }),
    fc.integer({ min: 0, max: 24 * 100 }),
    fc.constantFrom(...[1, 8, 64, 512, 4_096, 32_768, 262_144, 3_000_000].map((days) => days * 24)),
  );

  test("are those that overlap it, however long they are and whenever they began", async () => {
    const store = await openCalendar();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ start: fc.oneof(hours(20), hours(400_000)), length, before: fc.boolean() })),
        fc.boolean(),
        async (events, allDay) => {
          const rows = events.map(({ start, length: hoursLong, before }, number): EventContent => {
            const from = NOW + (before ? start - hoursLong : start) * HOUR_MS;
            const times = { start_at: from, end_at: from + hoursLong * HOUR_MS };
            return { ...EVENT, ...times, id: `event-${number}`, all_day: allDay ? 1 : 0 };
          });
          const overlapping = rows.filter(
            ({ start_at, end_at }) => Number(start_at) < WEEK.end && Number(end_at) > WEEK.start,
          );
          const found = await store.write(async (db) => {
            await db.deleteFrom("events").execute();
            for (const row of rows) await insertEvent(db, { row, attendeeIds: [], revision: 1 });
            return listEventsInWindow(db, CALENDAR, WEEK);
          });
          const inOrder = overlapping.sort(
            (one, other) => Number(one.start_at) - Number(other.start_at) || (one.id < other.id ? -1 : 1),
          );
          expect(found.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
        },
      ),
    );
    await store.close();
  });
});

test("the occurrences of a series that were changed on their own are found without the others", async () => {
  expect(await planOf((db) => changedOccurrences(db, "0").select("id"))).toEqual([
    "SEARCH events USING INDEX events_changed_alone (series_id=?)",
  ]);
});

test("series whose rows end before a time are read some at a time, since they may be large", async () => {
  const store = await openCalendar();
  const { start_at: _, end_at: _end, series_id: _series, slot: _slot, ...content } = EVENT;
  const series: SeriesRow = {
    ...{ ...content, start_timezone: "UTC", end_timezone: "UTC", start_clock: NOW, length: 0, attendees: "" },
    ...{ recurrences: "x".repeat(200_000), made_until: NOW, modified_at: NOW },
  };
  await store.write(async (db) => {
    for (let number = 0; number < 400; number += 1)
      await storeSeries(db, { ...series, id: String(number), made_until: NOW + (number % 2) });
  });
  let turns = 0;
  const countTurn = () => {
    turns += 1;
    turn = setImmediate(countTurn);
  };
  let turn = setImmediate(countTurn);
  const found = await store.read((db) => listSeriesMadeUntil(db, { calendarId: CALENDAR, time: NOW + 1 }));
  clearImmediate(turn);
  expect(found).toHaveLength(200);
  expect(turns).toBeGreaterThan(1);
  await store.close();
});

describe("the size of an event", () => {
  test.each([
    ["the smallest", "", ""],
    ["ASCII", "x", "https://example.com/"],
    ["control characters", "\u0001", "https://example.com/"],
    ["emoji", "🗓", "https://example.com/"],
    ["quotes", '"', "https://example.com/"],
  ])("is at least that in an answer: %s", (_, character, url) => {
    const row = {
      ...EVENT,
      title: character.repeat(MAX_TITLE),
      description: character.repeat(MAX_DESCRIPTION),
      location: character.repeat(MAX_LOCATION),
      url: url.padEnd(url === "" ? 0 : MAX_URL, "x"),
      start_timezone: "America/Argentina/ComodRivadavia",
      end_timezone: "America/Argentina/ComodRivadavia",
    };
    const attendeeIds = Array<string>(character === "" ? 0 : MAX_ATTENDEES).fill(USER);
    const answer = Buffer.byteLength(JSON.stringify(eventResource(row, attendeeIds)));
    const size = sizeOfEvent({ row, attendeeIds });
    expect(size).toBeGreaterThanOrEqual(answer);
    expect(size).toBeLessThan(answer + 1_000 + 100 * attendeeIds.length);
  });
});

test("the size of an event from before sizes were stored is that of its JSON", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "calendar.db");
  await (await openStore(path)).close();
  const texts = [
    "\u0001".repeat(50),
    `"\\\n\t\u001f\u007f`.repeat(1_000),
    "é🗓\u2028",
    "https://example.com/",
  ];
  const values = texts.map((text) => `cast(x'${Buffer.from(text).toString("hex")}' as text)`).join(", ");
  runSql(
    path,
    `insert into users values ('${USER}', 'Ana', 'ana', 'ana', null, '', '', 0, 1);
     insert into calendars values ('c', 'Family', '', '', '', 1, 1, 1, 1);
     insert into labels values ('c', 1, 'One', '#000000');
     insert into events (id, calendar_id, category, all_day, title, description, location, url, label_number, creator_id,
       created_at, updated_at) values ('e', 'c', 'keep', 0, ${values}, 1, '${USER}', 1, 1);
     insert into attendees values ('e', '${USER}', 0);
     update events set bytes = 1100
       + octet_length(title) + octet_length(description) + octet_length(location) + octet_length(url)`,
  );
  const [correctSizes = ""] = statementsAfter(4, "sqlite");
  runSql(path, correctSizes);
  const store = await openStore(path);
  const [row] = await store.read((db) => db.selectFrom("events").selectAll().execute());
  expect([row?.title, row?.description, row?.location, row?.url]).toEqual(texts);
  expect(row?.bytes).toBe(row && sizeOfEvent({ row, attendeeIds: [USER] }));
  await store.close();
});

test("rows are grouped by calendar in one pass", () => {
  let reads = 0;
  const rows = Array.from({ length: 1_000 }, (_, number) => ({
    number,
    get calendar_id() {
      reads += 1;
      return `calendar-${number % 10}`;
    },
  }));
  const rowsOf = groupByCalendar(rows);
  const groups = Array.from({ length: 10 }, (_, number) =>
    rowsOf(`calendar-${number}`).map((row) => row.number),
  );
  expect(groups.map(({ length }) => length)).toEqual(Array(10).fill(100));
  expect(groups[3]?.slice(0, 3)).toEqual([3, 13, 23]);
  expect(rowsOf("calendar-10")).toEqual([]);
  expect(reads).toBeLessThanOrEqual(2 * rows.length);
});
