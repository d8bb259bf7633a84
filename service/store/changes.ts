import type { EventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** A write to an event since a revision, by the revision that it gave the calendar. */
export interface EventChange {
  readonly revision: number;
  /** Null: the event was deleted. */
  readonly event: Pick<EventRow, "id" | "json" | "creator_id" | "label_number"> | null;
  readonly eventId: string;
  /** The size of the event in a response. */
  readonly bytes: number;
}

export interface ChangesQuery {
  readonly calendarId: string;
  readonly since: number;
}

/** The last writes to events after a revision, oldest first. */
export async function listChanges(
  db: Transaction,
  { calendarId, since }: ChangesQuery,
  count: number,
): Promise<EventChange[]> {
  const written = await db
    .selectFrom("events")
    .select(["id", "json", "creator_id", "label_number", "bytes", "revision"])
    .where("calendar_id", "=", calendarId)
    .where("revision", ">", since)
    .orderBy("revision")
    .limit(count)
    .execute();
  const deleted = await db
    .selectFrom("deleted_events")
    .select(["event_id", "revision"])
    .where("calendar_id", "=", calendarId)
    .where("revision", ">", since)
    .orderBy("revision")
    .limit(count)
    .execute();
  const changes = [
    ...written.map((row) => ({ revision: row.revision, event: row, eventId: row.id, bytes: row.bytes })),
    ...deleted.map(({ revision, event_id }) => ({ revision, event: null, eventId: event_id, bytes: 0 })),
  ];
  return changes.sort((one, other) => one.revision - other.revision).slice(0, count);
}
