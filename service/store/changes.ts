import { DAY_MS } from "../../contract/date-time.js";
import { compileOnce, type Placeholders } from "./compiled-query.js";
import type { DeletedEventRow, EventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** How long deletions are remembered (ms). */
export const DELETION_MEMORY = 30 * DAY_MS;

/** How many old deletions are forgotten at each new one: more than one, so that they become fewer. */
const FORGOTTEN_AT_ONCE = 4;

/** Deletes events of a calendar and remembers that for a while. */
export async function deleteEvents(db: Transaction, events: readonly DeletedEventRow[]): Promise<void> {
  for (const deleted of events) {
    await removeEvent(db, deleted);
    await insertDeletion(db, deleted);
  }
  const [deleted] = events;
  if (deleted !== undefined) await forgetDeletions(db, deleted, FORGOTTEN_AT_ONCE * events.length);
}

const removeEvent = compileOnce((db, { event_id }: Placeholders<DeletedEventRow>) =>
  db.deleteFrom("events").where("id", "=", event_id),
);

const insertDeletion = compileOnce((db, deleted: Placeholders<DeletedEventRow>) =>
  db.insertInto("deleted_events").values(deleted),
);

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

async function forgetDeletions(
  db: Transaction,
  { calendar_id, deleted_at: now }: Pick<DeletedEventRow, "calendar_id" | "deleted_at">,
  count: number,
): Promise<void> {
  const oldest = await db
    .selectFrom("deleted_events")
    .select(["revision", "deleted_at"])
    .where("calendar_id", "=", calendar_id)
    .orderBy("revision")
    .limit(count)
    .execute();
  const last = oldest.findLast(({ deleted_at }) => deleted_at < now - DELETION_MEMORY);
  if (last === undefined) return;
  await db
    .deleteFrom("deleted_events")
    .where("calendar_id", "=", calendar_id)
    .where("revision", "<=", last.revision)
    .execute();
  await db
    .updateTable("calendars")
    .set({ changes_from: last.revision })
    .where("id", "=", calendar_id)
    .execute();
}
