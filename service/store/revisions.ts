import type { Transaction } from "./store.js";

/**
 * Advances the revision of a calendar whose contents are about to change. Call it before anything else of the calendar is
 * read or written: on PostgreSQL, this locks the calendar until the end of the transaction.
 * @param steps how many rows the write gives a revision of their own
 * @returns the new revision: of several, the last
 * @throws Error when the calendar does not exist
 */
export async function advanceRevision(db: Transaction, calendarId: string, steps = 1): Promise<number> {
  const [calendar] = await db.all<{ readonly revision: number }>(
    "update calendars set revision = revision + cast(? as bigint) where id = ? returning revision",
    steps,
    calendarId,
  );
  if (calendar === undefined) throw new Error(`there is no calendar ${calendarId}`);
  return calendar.revision;
}

/** `advanceRevision` for a write to the calendar itself, its labels or its members. */
export async function advanceDetails(db: Transaction, calendarId: string): Promise<void> {
  await advanceRevision(db, calendarId);
  await db.run("update calendars set details_revision = revision where id = ?", calendarId);
}

/** How far a revision jumps at least: further than the original is written until its copy is restored. */
const MIN_JUMP = 1_000_000;

/**
 * Gives every calendar a revision that no client can know, so that all of them read everything again: for a database that was
 * restored, whose revisions would be counted a second time. A revision becomes the time in hundredths of a millisecond, which
 * is ahead of what an earlier restoration has reached, since no calendar is written 100,000 times a second. How far it jumps
 * while the clock is behind depends on the time too, so that two restorations of one copy differ.
 * @param now milliseconds since the epoch
 * @returns how many calendars there are
 */
export async function renewRevisions(db: Transaction, now: number): Promise<number> {
  // Forgetting one of them later would set `changes_from` back to its revision.
  await db.run("delete from deleted_events");
  const time = now * 100;
  const ahead = `revision + ${MIN_JUMP + (now % MIN_JUMP)}`;
  await db.run(`update calendars set revision = case when ${ahead} > ${time} then ${ahead} else ${time} end`);
  return db.run("update calendars set details_revision = revision, changes_from = revision");
}
