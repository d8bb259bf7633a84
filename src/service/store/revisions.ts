import { DAY_MS } from "../../contract/date-time.js";
import type { DeletedEventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/**
 * Counts a write that changes what a calendar shows, before anything else of it is read or written: where there are many
 * writers, this locks the calendar until the end of the transaction. Resolves with the new revision.
 * @throws NoResultError when the calendar does not exist
 */
export async function advanceRevision(db: Transaction, calendarId: string): Promise<number> {
  const { revision } = await db
    .updateTable("calendars")
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", calendarId)
    .returning("revision")
    .executeTakeFirstOrThrow();
  return revision;
}

/** How long deletions are remembered (ms). */
export const DELETION_MEMORY = 30 * DAY_MS;

/** How many old deletions are forgotten at each new one: more than one, so that they become fewer. */
const FORGOTTEN_AT_ONCE = 4;

/** Deletes an event and remembers that for a while. */
export async function deleteEvent(db: Transaction, deleted: DeletedEventRow): Promise<void> {
  await db.deleteFrom("events").where("id", "=", deleted.event_id).execute();
  await db.insertInto("deleted_events").values(deleted).execute();
  await forgetDeletions(db, deleted);
}

async function forgetDeletions(
  db: Transaction,
  { calendar_id, deleted_at: now }: Pick<DeletedEventRow, "calendar_id" | "deleted_at">,
): Promise<void> {
  const oldest = await db
    .selectFrom("deleted_events")
    .select(["revision", "deleted_at"])
    .where("calendar_id", "=", calendar_id)
    .orderBy("revision")
    .limit(FORGOTTEN_AT_ONCE)
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
