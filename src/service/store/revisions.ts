import { compileOnce, type Placeholders } from "./compiled-query.js";
import type { Transaction } from "./store.js";

/**
 * Counts a write that changes what a calendar shows, before anything else of it is read or written: where there are many
 * writers, this locks the calendar until the end of the transaction. Resolves with the new revision.
 * @throws Error when the calendar does not exist
 */
export async function advanceRevision(db: Transaction, calendarId: string): Promise<number> {
  const [calendar] = await updateRevision(db, { calendarId });
  if (calendar === undefined) throw new Error(`there is no calendar ${calendarId}`);
  return calendar.revision;
}

const updateRevision = compileOnce((db, { calendarId }: Placeholders<{ readonly calendarId: string }>) =>
  db
    .updateTable("calendars")
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", calendarId)
    .returning("revision"),
);

/** The same for a write to the calendar itself, its labels or its members, rather than to its events. */
export async function advanceDetails(db: Transaction, calendarId: string): Promise<void> {
  const details_revision = await advanceRevision(db, calendarId);
  await db.updateTable("calendars").set({ details_revision }).where("id", "=", calendarId).execute();
}
