import { eventJson } from "../resources.js";
import { compileForIds, compileOnce, type Placeholders } from "./compiled-query.js";
import { rememberMove } from "./event-moves.js";
import type { EventContent, EventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** An event of a calendar; undefined if the calendar has no such event. */
export async function findEvent(
  db: Transaction,
  calendarId: string,
  eventId: string,
): Promise<EventRow | undefined> {
  const [event] = await selectEvent(db, { calendarId, eventId });
  return event;
}

const selectEvent = compileOnce(
  (db, { calendarId, eventId }: Placeholders<{ readonly calendarId: string; readonly eventId: string }>) =>
    db.selectFrom("events").selectAll().where("id", "=", eventId).where("calendar_id", "=", calendarId),
);

/** Ids of the attendees of an event, in its order. */
export async function listAttendees(db: Transaction, eventId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("attendees")
    .select("user_id")
    .where("event_id", "=", eventId)
    .orderBy("position")
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** The attendees of the events with these ids, in no order; some more than once. */
export const listAllAttendees = compileForIds((db, eventIds) =>
  db.selectFrom("attendees").select("user_id").distinct().where("event_id", "in", eventIds),
);

export interface EventWithAttendees {
  readonly row: EventContent;
  /** Plain ids in the order of the event. */
  readonly attendeeIds: readonly string[];
}

export interface WrittenEvent extends EventWithAttendees {
  readonly revision: number;
}

/**
 * Inserts an event. A row that comes from the database keeps its `moves`.
 * @param event.revision the calendar's revision after this write
 * @returns its JSON
 */
export async function insertEvent(db: Transaction, event: WrittenEvent): Promise<string> {
  const { row, attendeeIds } = event;
  const columns = computedColumns(event);
  await insertRow(db, { moves: "", ...row, ...columns });
  await insertAttendees(db, row.id, attendeeIds);
  return columns.json;
}

const insertRow = compileOnce((db, row: Placeholders<EventRow>) => db.insertInto("events").values(row));

/** Replaces an event and its attendees. @returns its JSON */
export async function replaceEvent(db: Transaction, stored: EventRow, event: WrittenEvent): Promise<string> {
  const { row, attendeeIds } = event;
  const columns = computedColumns(event);
  await db
    .updateTable("events")
    .set({ ...row, ...columns, moves: movesOf(stored, event) })
    .where("id", "=", row.id)
    .execute();
  await db.deleteFrom("attendees").where("event_id", "=", row.id).execute();
  await insertAttendees(db, row.id, attendeeIds);
  return columns.json;
}

function computedColumns(event: WrittenEvent) {
  const { row, attendeeIds, revision } = event;
  return { revision, json: eventJson(row, attendeeIds), bytes: sizeOfEvent(event) };
}

function movesOf({ start_at: start, moves }: EventRow, { row, revision }: WrittenEvent): string {
  return start === null || start === row.start_at ? moves : rememberMove(moves, { revision, start });
}

async function insertAttendees(db: Transaction, eventId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await db
    .insertInto("attendees")
    .values(userIds.map((userId, position) => ({ event_id: eventId, user_id: userId, position })))
    .execute();
}

/** What a response has for each event besides its texts, and for each attendee (bytes). */
const BYTES_OF_EVENT = 1_000;
const BYTES_OF_ATTENDEE = 100;

/** What one of a series has besides. */
const BYTES_OF_SERIES = 100;

/** The size of an event in a response (bytes), rounded up. */
export function sizeOfEvent({ row, attendeeIds }: EventWithAttendees): number {
  const texts = JSON.stringify([row.title, row.description, row.location, row.url]);
  const { byteLength } = new TextEncoder().encode(texts);
  const repeats = row.series_id === null ? 0 : BYTES_OF_SERIES + row.recurrences.length;
  return BYTES_OF_EVENT + byteLength + BYTES_OF_ATTENDEE * attendeeIds.length + repeats;
}
