import { SHOWN_COLUMNS, type ShownEvent } from "./events.js";
import type { DeletedEventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** A write to an event since a revision, by the revision that it gave the calendar. */
export interface EventChange {
  readonly revision: number;
  /** Null: the event was deleted. */
  readonly event: ShownEvent | null;
  readonly eventId: string;
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
  const written = await db.all<ShownEvent & Pick<EventChange, "revision">>(
    `select ${SHOWN_COLUMNS}, revision from events
    where calendar_id = ? and revision > ? order by revision limit ${count}`,
    calendarId,
    since,
  );
  const deleted = await db.all<Pick<DeletedEventRow, "event_id" | "revision">>(
    `select event_id, revision from deleted_events
    where calendar_id = ? and revision > ? order by revision limit ${count}`,
    calendarId,
    since,
  );
  const changes = [
    ...written.map((event) => ({ revision: event.revision, event, eventId: event.id })),
    ...deleted.map(({ revision, event_id }) => ({ revision, event: null, eventId: event_id })),
  ];
  return changes.sort((one, other) => one.revision - other.revision).slice(0, count);
}
