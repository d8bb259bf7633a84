import type { DayWindow } from "../window.js";
import type { AttendeeRow, EventRow } from "./schema.js";
import type { Queries } from "./sqlite/open.js";

/** One event of a calendar; undefined when the calendar has none of this id. */
export function findEvent(db: Queries, calendarId: string, eventId: string): Promise<EventRow | undefined> {
  return db
    .selectFrom("events")
    .selectAll()
    .where("id", "=", eventId)
    .where("calendar_id", "=", calendarId)
    .executeTakeFirst();
}

/** The events of a calendar that overlap a window, by start; keeps without times are in none. */
export function listEventsWithin(db: Queries, calendarId: string, window: DayWindow): Promise<EventRow[]> {
  return eventsWithin(db, calendarId, window).selectAll().orderBy("start_at").orderBy("id").execute();
}

/** Attendees of the same events, each event's in their order. */
export function listAttendeesWithin(
  db: Queries,
  calendarId: string,
  window: DayWindow,
): Promise<AttendeeRow[]> {
  return db
    .selectFrom("attendees")
    .selectAll()
    .where("event_id", "in", eventsWithin(db, calendarId, window).select("id"))
    .orderBy("event_id")
    .orderBy("position")
    .execute();
}

export function listAttendees(db: Queries, eventId: string): Promise<AttendeeRow[]> {
  return db.selectFrom("attendees").selectAll().where("event_id", "=", eventId).orderBy("position").execute();
}

function eventsWithin(db: Queries, calendarId: string, { start, end, firstDate, endDate }: DayWindow) {
  return (
    db
      .selectFrom("events")
      .where("calendar_id", "=", calendarId)
      // Wide enough for both kinds of event: what the index can answer.
      .where("end_at", ">", Math.min(start, firstDate))
      .where("start_at", "<", Math.max(end, endDate))
      .where((event) =>
        event.or([
          event.and([event("all_day", "=", 0), event("end_at", ">", start), event("start_at", "<", end)]),
          event.and([
            event("all_day", "=", 1),
            event("end_at", ">", firstDate),
            event("start_at", "<", endDate),
          ]),
        ]),
      )
  );
}

/** An event's row and its attendees. */
export interface WholeEvent {
  readonly row: EventRow;
  /** Plain ids in their order. */
  readonly attendeeIds: readonly string[];
}

export async function insertEvent(db: Queries, { row, attendeeIds }: WholeEvent): Promise<void> {
  await db.insertInto("events").values(row).execute();
  await insertAttendees(db, row.id, attendeeIds);
}

export async function replaceEvent(db: Queries, { row, attendeeIds }: WholeEvent): Promise<void> {
  await db.updateTable("events").set(row).where("id", "=", row.id).execute();
  await db.deleteFrom("attendees").where("event_id", "=", row.id).execute();
  await insertAttendees(db, row.id, attendeeIds);
}

async function insertAttendees(db: Queries, eventId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await db
    .insertInto("attendees")
    .values(userIds.map((userId, position) => ({ event_id: eventId, user_id: userId, position })))
    .execute();
}

/**
 * When a row that is made now is said to be made: the next millisecond at which no other row of the table was. Lists go
 * by it, so what is made within one millisecond stays in the order of making.
 * @param now milliseconds since the epoch, as the result
 */
export async function creationTime(
  db: Queries,
  table: "users" | "calendars" | "tokens" | "clients",
  now: number,
): Promise<number> {
  const rows = await db
    .selectFrom(table)
    .select("created_at")
    .where("created_at", ">=", now)
    .orderBy("created_at")
    .execute();
  // Not behind the newest of all: a clock that was once wrong would be followed for ever.
  return rows.reduce((time, { created_at }) => (created_at === time ? time + 1 : time), now);
}
