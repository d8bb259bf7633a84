import { DAY_MS } from "../../contract/date-time.js";
import type { IdempotencyKeyRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** How long a key is kept (ms). */
const KEY_RETENTION = 30 * DAY_MS;

/** A key of a user in a calendar. */
export type IdempotencyKey = Pick<IdempotencyKeyRow, "calendar_id" | "user_id" | "key">;

/**
 * What was made with a key; undefined if nothing was. Deletes the keys of the calendar that are too old.
 * @param now milliseconds since the epoch
 */
export async function findIdempotencyKey(
  db: Transaction,
  { calendar_id, user_id, key }: IdempotencyKey,
  now: number,
): Promise<IdempotencyKeyRow | undefined> {
  await db
    .deleteFrom("idempotency_keys")
    .where("calendar_id", "=", calendar_id)
    .where("created_at", "<=", now - KEY_RETENTION)
    .execute();
  return db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("calendar_id", "=", calendar_id)
    .where("user_id", "=", user_id)
    .where("key", "=", key)
    .executeTakeFirst();
}

/** Remembers what was made with a key, which must be new. */
export async function insertIdempotencyKey(db: Transaction, row: IdempotencyKeyRow): Promise<void> {
  await db.insertInto("idempotency_keys").values(row).execute();
}
