import { DAY_MS } from "../../contract/date-time.js";
import { inSlices, yieldToEventLoop } from "../../src/system/clock.js";
import type { DeletedEventRow } from "./schema.js";
import { allWithIds, insert } from "./sql.js";
import type { Transaction } from "./store.js";

/** How long deletions are remembered (ms). */
export const DELETION_MEMORY = 30 * DAY_MS;

/** How many deletions a calendar remembers. */
export const MAX_DELETIONS = 50_000;

/** How many old deletions are forgotten at each new one: more than one, so that they become fewer. */
const FORGOTTEN_AT_ONCE = 4;

/** Old deletions that are forgotten before other requests get their turn. */
const BATCH = 500;

/** Deletes events of a calendar and remembers that for a while. */
export async function deleteEvents(db: Transaction, events: readonly DeletedEventRow[]): Promise<void> {
  const comments = await listCommentIds(
    db,
    events.map(({ event_id }) => event_id),
  );
  await deleteComments(db, comments);
  for await (const deleted of inSlices(events)) {
    await db.run("delete from events where id = ?", deleted.event_id);
    await insert(db, "deleted_events", [deleted]);
  }
  const [deleted] = events;
  if (deleted !== undefined) await forgetDeletions(db, deleted, FORGOTTEN_AT_ONCE * events.length);
}

/** Ids of the comments on events, of which one may have very many. */
export async function listCommentIds(
  db: Transaction,
  eventIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await allWithIds<{ readonly id: string }>(
    db,
    eventIds,
    (ids) => `select id from activities where event_id in (${ids})`,
  );
  return rows.map(({ id }) => id);
}

/** Deletes comments, some at a time; with their event, all would be deleted at once. */
export async function deleteComments(db: Transaction, ids: readonly string[]): Promise<void> {
  await allWithIds(db, ids, (some) => `delete from activities where id in (${some})`);
}

/** Forgets deletions that are old, or more than a calendar remembers: the oldest ones, so many at most. */
async function forgetDeletions(
  db: Transaction,
  { calendar_id, deleted_at: now }: Pick<DeletedEventRow, "calendar_id" | "deleted_at">,
  count: number,
): Promise<void> {
  // The newest one that is more than a calendar remembers.
  const [excess] = await db.all<Pick<DeletedEventRow, "revision">>(
    `select revision from deleted_events where calendar_id = ?
    order by revision desc limit 1 offset ${MAX_DELETIONS}`,
    calendar_id,
  );
  for (let left = count; left > 0; left -= BATCH) {
    const [forgotten] = await db.all<{ readonly last: number | null }>(
      `select max(revision) as last from (
        select revision, deleted_at from deleted_events where calendar_id = ?
        order by revision limit ${Math.min(left, BATCH)}) as oldest
      where deleted_at < ? or revision <= ?`,
      calendar_id,
      now - DELETION_MEMORY,
      excess?.revision ?? 0,
    );
    const last = forgotten?.last ?? null;
    if (last === null) return;
    await db.run("delete from deleted_events where calendar_id = ? and revision <= ?", calendar_id, last);
    await db.run("update calendars set changes_from = ? where id = ?", last, calendar_id);
    await yieldToEventLoop();
  }
}

/** What exists again was not deleted. @param ids of events */
export async function forgetDeletionsOf(db: Transaction, ids: Iterable<string>): Promise<void> {
  await allWithIds(db, ids, (some) => `delete from deleted_events where event_id in (${some})`);
}
