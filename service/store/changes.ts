import { SHOWN_COLUMNS, type ShownEvent } from "./events.js";
import { EVENTS_AT_A_TIME } from "./pages.js";
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

const LAST = `where calendar_id = ? and revision > ? order by revision limit ${EVENTS_AT_A_TIME}`;

/** The last writes to events after a revision, oldest first: `EVENTS_AT_A_TIME`, or fewer if there are no more. */
export async function listChanges(
  db: Transaction,
  { calendarId, since }: ChangesQuery,
): Promise<EventChange[]> {
  const written = await db.all<ShownEvent & Pick<EventChange, "revision">>(
    `select ${SHOWN_COLUMNS}, revision from events ${LAST}`,
    calendarId,
    since,
  );
  const deleted = await db.all<Pick<DeletedEventRow, "event_id" | "revision">>(
    `select event_id, revision from deleted_events ${LAST}`,
    calendarId,
    since,
  );
  const changes = [
    ...written.map((event) => ({ revision: event.revision, event, eventId: event.id })),
    ...deleted.map(({ revision, event_id }) => ({ revision, event: null, eventId: event_id })),
  ];
  return changes.sort((one, other) => one.revision - other.revision).slice(0, EVENTS_AT_A_TIME);
}
