import { DAY_MS } from "../../contract/date-time.js";
import { inSlices, yieldToEventLoop } from "../../src/system/clock.js";
import { compileForIds, compileOnce, type Placeholders } from "./compiled-query.js";
import type { DeletedEventRow } from "./schema.js";
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
    await removeEvent(db, deleted);
    await insertDeletion(db, deleted);
  }
  const [deleted] = events;
  if (deleted !== undefined) await forgetDeletions(db, deleted, FORGOTTEN_AT_ONCE * events.length);
}

/** Ids of the comments on events, of which one may have very many. */
export async function listCommentIds(
  db: Transaction,
  eventIds: readonly string[],
): Promise<readonly string[]> {
  return (await selectCommentIds(db, eventIds)).map(({ id }) => id);
}

const selectCommentIds = compileForIds((db, eventIds) =>
  db.selectFrom("activities").select("id").where("event_id", "in", eventIds),
);

/** Deletes comments, some at a time; with their event, all would be deleted at once. */
export const deleteComments = compileForIds((db, ids) => db.deleteFrom("activities").where("id", "in", ids));

const removeEvent = compileOnce((db, { event_id }: Placeholders<DeletedEventRow>) =>
  db.deleteFrom("events").where("id", "=", event_id),
);

const insertDeletion = compileOnce((db, deleted: Placeholders<DeletedEventRow>) =>
  db.insertInto("deleted_events").values(deleted),
);

/** Forgets deletions that are old, or more than a calendar remembers: the oldest ones, so many at most. */
async function forgetDeletions(
  db: Transaction,
  { calendar_id, deleted_at: now }: Pick<DeletedEventRow, "calendar_id" | "deleted_at">,
  count: number,
): Promise<void> {
  const [excess] = await selectExcess(db, { calendar_id });
  for (let left = count; left > 0; left -= BATCH) {
    const oldest = await db
      .selectFrom("deleted_events")
      .select(["revision", "deleted_at"])
      .where("calendar_id", "=", calendar_id)
      .orderBy("revision")
      .limit(Math.min(left, BATCH))
      .execute();
    const last = oldest.findLast(
      ({ revision, deleted_at }) =>
        deleted_at < now - DELETION_MEMORY || (excess !== undefined && revision <= excess.revision),
    );
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
    if (last !== oldest.at(-1)) return;
    await yieldToEventLoop();
  }
}

/** The newest deletion that is more than a calendar remembers. */
const selectExcess = compileOnce((db, { calendar_id }: Placeholders<Pick<DeletedEventRow, "calendar_id">>) =>
  db
    .selectFrom("deleted_events")
    .select("revision")
    .where("calendar_id", "=", calendar_id)
    .orderBy("revision", "desc")
    .limit(1)
    .offset(MAX_DELETIONS),
);

/** What exists again was not deleted. @param ids of events */
export const forgetDeletionsOf = compileForIds((db, ids) =>
  db.deleteFrom("deleted_events").where("event_id", "in", ids),
);
