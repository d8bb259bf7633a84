import { DAY_MS } from "../../contract/date-time.js";
import { inSlices } from "../../src/system/clock.js";
import { compileOnce, type Placeholders } from "./compiled-query.js";
import type { DeletedEventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** How long deletions are remembered (ms). */
export const DELETION_MEMORY = 30 * DAY_MS;

/** How many old deletions are forgotten at each new one: more than one, so that they become fewer. */
const FORGOTTEN_AT_ONCE = 4;

/** Deletes events of a calendar and remembers that for a while. */
export async function deleteEvents(db: Transaction, events: readonly DeletedEventRow[]): Promise<void> {
  for await (const deleted of inSlices(events)) {
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
