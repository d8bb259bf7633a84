// Databases for `npm run bench:service`: a few calendars, or as many events and users as a service for thousands has.
import { DatabaseSync } from "@photostructure/sqlite";
import { formatRequest, openConnection } from "./http-load.mjs";
import { startService } from "./service-process.mjs";

const DAY = 86_400_000;

/** Calendars that the client reads, and the events of the coming week in each. */
const READ = 100;
const WEEK = 20;

/** Sizes of a database: all its calendars, those that the client reads, the events of each, and users besides the sample's. */
export const SMALL = { calendars: READ, read: READ, events: WEEK, users: 0 };
/** The same events, single and as occurrences of series. */
export const SINGLE = { ...SMALL, events: 200 };
export const REPEATING = { ...SINGLE, recurrences: ["RRULE:FREQ=WEEKLY"] };
export const LARGE = { calendars: 5_000, read: READ, events: 200, users: 10_000 };

/** Creates a database of a size. @returns a token of the user who reads */
export async function createDatabase(program, { env, database, size }) {
  const service = await startService(program, { env, flags: ["--db", `sqlite:${database}`] });
  const { base_url, token } = service;
  const connection = await openConnection(base_url);
  const [{ id }] = readJson(await connection.send(formatRequest("GET", "/calendars", { token }))).data;
  const body = eventBody(id, Math.ceil(Date.now() / 1_000) * 1_000 + DAY, size.recurrences);
  const created = readJson(
    await connection.send(formatRequest("POST", `/calendars/${id}/events`, { token, body })),
  );
  connection.close();
  await service.stop();
  const db = new DatabaseSync(database);
  try {
    // Whatever is lost in a crash is made anew.
    db.exec("pragma journal_mode = off; pragma synchronous = off; begin");
    multiply(db, { calendar: id, event: created.data.id, ...size });
    db.exec("commit; pragma journal_mode = wal");
  } finally {
    db.close();
  }
  return token;
}

/** Copies calendar and event; of each calendar, some events are in the coming week, the others before and after it. */
function multiply(db, { calendar, event, calendars, read, events, users }) {
  const numbers = (count) =>
    `(with recursive counter(n) as (select 0 union all select n + 1 from counter where n < ${count} - 1) select n from counter)`;
  const id = "printf('bench-%06d', n)";
  const start = `(@now + case when m < ${WEEK} then (m % 5 + 1) * ${DAY} + m * 60000 else (m - 110) * 20 * ${DAY} + 10 * ${DAY} end)`;
  const eventId = "printf('%016x%016x', n, m)";
  const copy = (table, changed, from) => {
    const columns = db
      .prepare(`pragma table_info(${table})`)
      .all()
      .map(({ name }) => name);
    const values = columns.map((name) => changed[name] ?? `row.${name}`);
    return db.prepare(
      `insert into ${table} (${columns.join(", ")}) select ${values.join(", ")} from ${from}`,
    );
  };
  if (users > 0) {
    const user = {
      id: "printf('9%017d', n)",
      login: "'bench' || n",
      login_key: "'bench' || n",
      created_at: "row.created_at + n + 1",
    };
    copy("users", user, `(select * from users limit 1) row, ${numbers(users)}`).run();
  }
  copy(
    "calendars",
    { id, name: id, created_at: "row.created_at + n + 1" },
    `(select * from calendars where id = @calendar) row, ${numbers(calendars)}`,
  ).run({ calendar });
  copy(
    "labels",
    { calendar_id: id },
    `(select * from labels where calendar_id = @calendar) row, ${numbers(calendars)}`,
  ).run({ calendar });
  const member = {
    calendar_id: id,
    position: "n + 2",
    user_id: `case when n < ${read} then row.user_id else printf('9%017d', n % ${Math.max(users, 1)}) end`,
  };
  copy(
    "members",
    member,
    `(select * from members where calendar_id = @calendar order by rank limit 1) row, ${numbers(calendars)}`,
  ).run({ calendar });
  const moved = {
    id: eventId,
    calendar_id: id,
    start_at: start,
    end_at: `${start} + 3600000`,
  };
  const grid = `${numbers(calendars)}, (select n as m from ${numbers(events)})`;
  copy(
    "events",
    moved,
    `(select * from events where id = @event or series_id = @event limit 1) row, ${grid}`,
  ).run({ event, now: Date.now() });
}

/** Requests for the week of each calendar in zones whose days begin at different times: more answers than are cached. */
export function weekRequests(token) {
  const zones = zonesByOffset();
  return Array.from({ length: READ }, (_, number) => `bench-${String(number).padStart(6, "0")}`).flatMap(
    (id) => zones.map((zone) => formatRequest("GET", weekOf(id, zone), { token })),
  );
}

export function weekOf(calendarId, zone = "UTC") {
  return `/calendars/${calendarId}/upcoming_events?days=7&timezone=${zone}&include=creator,label,attendees`;
}

function zonesByOffset() {
  const offsetOf = (timeZone) =>
    new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).format().split(" ").at(-1);
  return [...new Map(Intl.supportedValuesOf("timeZone").map((zone) => [offsetOf(zone), zone])).values()];
}

/** An event of an hour, or a series of such. */
export function eventBody(calendarId, start, recurrences = []) {
  return JSON.stringify({
    data: {
      attributes: {
        category: "schedule",
        title: "Seminar",
        all_day: false,
        start_at: new Date(start).toISOString(),
        end_at: new Date(start + 3_600_000).toISOString(),
        location: "Room 7",
        description: "Written to be listed.",
        recurrences,
      },
      relationships: { label: { data: { id: `${calendarId},1`, type: "label" } } },
    },
  });
}

/** Requests that create events, one in each of the next 200 weeks. */
export function createRequests(calendarId, token) {
  return Array.from({ length: 200 }, (_, week) => {
    const body = eventBody(calendarId, Date.now() + (2 + week) * 7 * DAY);
    return formatRequest("POST", `/calendars/${calendarId}/events`, { token, body });
  });
}

export function readJson({ bytes }) {
  return JSON.parse(bytes.subarray(bytes.indexOf("\r\n\r\n") + 4).toString());
}
