import { rememberMove } from "./event-moves.js";
import type { EventContent, EventRow, SeriesRow } from "./schema.js";
import { insert, type Sql } from "./sql.js";
import type { Transaction } from "./store.js";

/** What a response shows of an event: its columns but the slot, and its attendees in the form that a series has them in. */
export type ShownEvent = Omit<EventContent, "slot"> & Pick<SeriesRow, "attendees">;

/** The columns of a `ShownEvent`, in a query of `events`. */
export const SHOWN_COLUMNS = `events.id, events.calendar_id, events.category, events.title, events.all_day, events.start_at,
  events.start_timezone, events.end_at, events.end_timezone, events.description, events.location, events.url,
  events.label_number, events.creator_id, events.created_at, events.updated_at, events.series_id, events.recurrences,
  coalesce((select string_agg(user_id, ' ' order by position) from attendees where event_id = events.id), '') as attendees`;

/** All columns of an event. */
export const EVENT_COLUMNS = `id, calendar_id, category, title, all_day, start_at, start_timezone, end_at, end_timezone, description,
  location, url, label_number, creator_id, created_at, updated_at, series_id, slot, recurrences, moves, revision`;

/** An event of a calendar; undefined if the calendar has no such event. */
export async function findEvent(
  db: Transaction,
  calendarId: string,
  eventId: string,
): Promise<EventRow | undefined> {
  const [event] = await db.all<EventRow>(
    `select ${EVENT_COLUMNS} from events where id = ? and calendar_id = ?`,
    eventId,
    calendarId,
  );
  return event;
}

/** Ids of the attendees of an event, in its order. */
export async function listAttendees(db: Transaction, eventId: string): Promise<string[]> {
  const rows = await db.all<{ readonly user_id: string }>(
    "select user_id from attendees where event_id = ? order by position",
    eventId,
  );
  return rows.map(({ user_id }) => user_id);
}

export interface EventWithAttendees {
  readonly row: EventContent;
  /** Plain ids in the order of the event. */
  readonly attendeeIds: readonly string[];
}

export interface WrittenEvent extends EventWithAttendees {
  /** Of the calendar, after this write. */
  readonly revision: number;
}

/** Inserts an event. A row that comes from the database keeps its `moves`. */
export async function insertEvent(
  db: Transaction,
  { row, attendeeIds, revision }: WrittenEvent,
): Promise<void> {
  await insert(db, "events", [{ moves: "", ...row, revision }]);
  await insertAttendees(db, row.id, attendeeIds);
}

/** Replaces an event and its attendees. */
export async function replaceEvent(db: Transaction, stored: EventRow, event: WrittenEvent): Promise<void> {
  const { row, attendeeIds, revision } = event;
  const { id, ...columns }: EventRow = { ...row, revision, moves: movesOf(stored, event) };
  const names = Object.keys(columns).map((name) => `${name} = ?`);
  await db.run(`update events set ${names.join(", ")} where id = ?`, ...Object.values(columns), id);
  await db.run("delete from attendees where event_id = ?", id);
  await insertAttendees(db, id, attendeeIds);
}

function movesOf({ start_at: start, moves }: EventRow, { row, revision }: WrittenEvent): string {
  return start === null || start === row.start_at ? moves : rememberMove(moves, { revision, start });
}

function insertAttendees(db: Transaction, eventId: string, userIds: readonly string[]): Promise<void> {
  const rows = userIds.map((userId, position) => ({ event_id: eventId, user_id: userId, position }));
  return insert(db, "attendees", rows);
}

/** What a response has for each event besides its texts, and for each attendee (bytes). */
const BYTES_OF_EVENT = 1_000;
const BYTES_OF_ATTENDEE = 100;

/** What one of a series has besides. */
const BYTES_OF_SERIES = 100;

/** The size of an event in a response (bytes), rounded up. */
export function sizeOfEvent(
  row: Omit<ShownEvent, "attendees">,
  { length: attendees }: EventWithAttendees["attendeeIds"],
): number {
  const texts = JSON.stringify([row.title, row.description, row.location, row.url]);
  const { byteLength } = new TextEncoder().encode(texts);
  const repeats = row.series_id === null ? 0 : BYTES_OF_SERIES + row.recurrences.length;
  return BYTES_OF_EVENT + byteLength + BYTES_OF_ATTENDEE * attendees + repeats;
}

/** `sizeOfEvent` in a query of `events`, on PostgreSQL a few bytes more. */
export function sizeInSql({ jsonArray }: Sql): string {
  return `(${BYTES_OF_EVENT}
    + octet_length(cast(${jsonArray}(events.title, events.description, events.location, events.url) as text))
    + ${BYTES_OF_ATTENDEE} * (select count(*) from attendees where event_id = events.id)
    + case when events.series_id is null then 0 else ${BYTES_OF_SERIES} + octet_length(events.recurrences) end)`;
}
