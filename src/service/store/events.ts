import { localDate, readWallClock } from "../../calendar/zoned-time.js";
import { DAY_MS, dateToInstant } from "../../contract/date-time.js";
import type { AttendeeRow, EventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** An event of a calendar; undefined if the calendar has no such event. */
export function findEvent(
  db: Transaction,
  calendarId: string,
  eventId: string,
): Promise<EventRow | undefined> {
  return db
    .selectFrom("events")
    .selectAll()
    .where("id", "=", eventId)
    .where("calendar_id", "=", calendarId)
    .executeTakeFirst();
}

/** The events of a calendar that overlap a window, ordered by start. Keeps without times overlap none. */
export function listEventsInWindow(
  db: Transaction,
  calendarId: string,
  window: DayWindow,
): Promise<EventRow[]> {
  return eventsInWindow(db, calendarId, window).selectAll().orderBy("start_at").orderBy("id").execute();
}

/** The attendees of the same events, ordered by event and position. */
export function listAttendeesInWindow(
  db: Transaction,
  calendarId: string,
  window: DayWindow,
): Promise<AttendeeRow[]> {
  return db
    .selectFrom("attendees")
    .selectAll()
    .where("event_id", "in", eventsInWindow(db, calendarId, window).select("id"))
    .orderBy("event_id")
    .orderBy("position")
    .execute();
}

export function listAttendees(db: Transaction, eventId: string): Promise<AttendeeRow[]> {
  return db.selectFrom("attendees").selectAll().where("event_id", "=", eventId).orderBy("position").execute();
}

function eventsInWindow(db: Transaction, calendarId: string, { start, end, firstDate, endDate }: DayWindow) {
  return (
    db
      .selectFrom("events")
      .where("calendar_id", "=", calendarId)
      // A superset of the exact condition below that can use the index.
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

export interface EventWithAttendees {
  readonly row: EventRow;
  /** Plain ids in the order of the event. */
  readonly attendeeIds: readonly string[];
}

export async function insertEvent(db: Transaction, { row, attendeeIds }: EventWithAttendees): Promise<void> {
  await db.insertInto("events").values(row).execute();
  await insertAttendees(db, row.id, attendeeIds);
}

export async function replaceEvent(db: Transaction, { row, attendeeIds }: EventWithAttendees): Promise<void> {
  await db.updateTable("events").set(row).where("id", "=", row.id).execute();
  await db.deleteFrom("attendees").where("event_id", "=", row.id).execute();
  await insertAttendees(db, row.id, attendeeIds);
}

async function insertAttendees(db: Transaction, eventId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await db
    .insertInto("attendees")
    .values(userIds.map((userId, position) => ({ event_id: eventId, user_id: userId, position })))
    .execute();
}

/** Whole days in a timezone, in milliseconds since the epoch. Ends are exclusive. */
export interface DayWindow {
  /** Midnight in the zone at which the first day starts. */
  readonly start: number;
  /** Midnight in the zone at which the last day ends. */
  readonly end: number;
  /** The same days as midnights UTC, which is how all-day events are stored. */
  readonly firstDate: number;
  readonly endDate: number;
}

/** The window of `days` days from today in the timezone, an IANA name. A day may have 23 or 25 hours. */
export function dayWindow(
  now: number,
  { timezone, days }: { readonly timezone: string; readonly days: number },
): DayWindow {
  const firstDate = dateToInstant(localDate(now, timezone));
  const endDate = firstDate + days * DAY_MS;
  return { start: startOfDay(firstDate, timezone), end: startOfDay(endDate, timezone), firstDate, endDate };
}

/** If a clock change repeats midnight, the first one; if it skips midnight, the time of the change. */
function startOfDay(midnight: number, timezone: string): number {
  const reading = readWallClock(midnight, timezone);
  return reading.kind === "once" ? reading.instant : midnight - reading.before;
}
