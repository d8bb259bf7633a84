import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { MAX_ATTENDEES, MAX_DESCRIPTION, MAX_LOCATION, MAX_TITLE, MAX_URL } from "../../contract/limits.js";
import { readWindow } from "../endpoints/listed-events.js";
import { SINGLE } from "../occurrence.js";
import { eventResource } from "../resources.js";
import { groupByCalendar } from "../store/calendars.js";
import { listSeriesMadeUntil, sumEventSizes } from "../store/event-windows.js";
import { insertEvent, sizeOfEvent } from "../store/events.js";
import { listChangedOccurrences } from "../store/feed-entries.js";
import { type EventListQuery, listEventsAfter, WITHOUT_TIMES } from "../store/pages.js";
import type { EventContent, SeriesRow } from "../store/schema.js";
import { storeSeries } from "../store/series.js";
import { openStore } from "../store/sqlite/open.js";
import type { Store, Transaction } from "../store/store.js";
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
    await db.run("insert into users values (?, 'Ana', 'ana', 'ana', null, '', '', 0, 1)", USER);
    await db.run("insert into calendars values (?, 'Family', '', '', '', 1, 1, 1, 1)", CALENDAR);
    await db.run("insert into labels values (?, 1, '', '#2ecc87')", CALENDAR);
  });
  return store;
}

/** How SQLite would run queries: their steps in the table of events. */
async function planOf(query: (db: Transaction) => Promise<unknown>): Promise<readonly string[]> {
  const store = await openCalendar();
  const steps: string[] = [];
  await store.read(async (db) => {
    const explain: Transaction["all"] = async (text, ...values) => {
      const plan = await db.all<{ readonly detail: string }>(`explain query plan ${text}`, ...values);
      steps.push(...plan.map(({ detail }) => detail));
      return [];
    };
    await query(Object.assign(Object.create(db), { all: explain }));
  });
  await store.close();
  return steps.filter((step) => /\bevents\b/.test(step));
}

const planOfList = (query: Pick<EventListQuery, "after" | "category">) =>
  planOf((db) => listEventsAfter(db, { calendarId: CALENDAR, window: WEEK, ...query }));

const AROUND =
  "SEARCH events USING INDEX events_by_length (calendar_id=? AND <expr>=? AND start_at>? AND start_at<?)";
const IN_ORDER =
  "SEARCH events USING INDEX events_by_start (calendar_id=? AND (start_at,id)>(?,?) AND start_at<?)";

describe("the events of a window", () => {
  test("that began before it are found by calendar, length and start, the others in order, so that few are visited", async () => {
    expect(await planOfList({ after: null })).toEqual([AROUND, IN_ORDER]);
  });

  test("are found from the end of the page before on", async () => {
    expect(await planOfList({ after: { start: NOW - HOUR_MS, id: "0" } })).toEqual([AROUND, IN_ORDER]);
    expect(await planOfList({ after: { start: NOW + HOUR_MS, id: "0" } })).toEqual([IN_ORDER]);
  });

  test("and keeps without times are found in order, without those that have some", async () => {
    const plan = await planOfList({ category: "keep", after: { start: WITHOUT_TIMES, id: "0" } });
    expect(plan).toEqual([
      IN_ORDER,
      "SEARCH events USING INDEX events_by_start (calendar_id=? AND start_at=? AND id>?)",
    ]);
  });

  test("are summed without visiting earlier and later ones", async () => {
    const query = { calendarId: CALENDAR, creatorId: USER, ...WEEK };
    expect(await planOf((db) => sumEventSizes(db, query, false))).toEqual([AROUND]);
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
            await db.run("delete from events");
            for (const row of rows) await insertEvent(db, { row, attendeeIds: [], revision: 1 });
            const listed = [];
            for await (const batch of readWindow(db, CALENDAR, WEEK)) listed.push(...batch);
            return listed;
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
  expect(await planOf((db) => listChangedOccurrences(db, "0"))).toEqual([
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
    const size = sizeOfEvent(row, attendeeIds);
    expect(size).toBeGreaterThanOrEqual(answer);
    expect(size).toBeLessThan(answer + 1_000 + 100 * attendeeIds.length);
  });
});

test("the database finds the same sizes", async () => {
  const store = await openCalendar();
  const texts = [
    "\u0001".repeat(50),
    `"\\\n\t\u001f\u007f`.repeat(1_000),
    "é🗓\u2028",
    "https://example.com/",
  ];
  const [title = "", description = "", location = "", url = ""] = texts;
  const row = { ...EVENT, title, description, location, url };
  const events = [
    { row, attendeeIds: [USER] },
    { row: { ...row, id: "1", creator_id: "2" }, attendeeIds: [] },
  ];
  const sums = await store.write(async (db) => {
    await db.run("insert into users values ('2', 'Ben', 'ben', 'ben', null, '', '', 0, 2)");
    for (const event of events) await insertEvent(db, { ...event, revision: 1 });
    return sumEventSizes(db, { calendarId: CALENDAR, creatorId: USER, ...WEEK }, false);
  });
  const [own = 0, other = 0] = events.map(({ row: one, attendeeIds }) => sizeOfEvent(one, attendeeIds));
  expect(sums).toEqual({ all: own + other, own });
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
