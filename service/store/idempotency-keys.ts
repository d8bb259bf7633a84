import { DAY_MS } from "../../contract/date-time.js";
import type { IdempotencyKeyRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** How long a key is kept (ms). */
const KEY_RETENTION = 30 * DAY_MS;

/** How many old keys are deleted at each new one: many may have come at the same time. */
const DELETED_AT_ONCE = 100;

/** A key of a user in a calendar. */
export type IdempotencyKey = Pick<IdempotencyKeyRow, "calendar_id" | "user_id" | "key">;

/**
 * What was made with a key that is still kept; undefined if nothing was.
 * @param now milliseconds since the epoch
 */
export function findIdempotencyKey(
  db: Transaction,
  { calendar_id, user_id, key }: IdempotencyKey,
  now: number,
): Promise<IdempotencyKeyRow | undefined> {
  return db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("calendar_id", "=", calendar_id)
    .where("user_id", "=", user_id)
    .where("key", "=", key)
    .where("created_at", ">", now - KEY_RETENTION)
    .executeTakeFirst();
}

/** Remembers what was made with a key that is new, or no longer kept, and deletes some keys of the calendar that are too old. */
export async function insertIdempotencyKey(db: Transaction, row: IdempotencyKeyRow): Promise<void> {
  await db
    .insertInto("idempotency_keys")
    .values(row)
    .onConflict((conflict) => conflict.columns(["calendar_id", "user_id", "key"]).doUpdateSet(row))
    .execute();
  const expiry = row.created_at - KEY_RETENTION;
  const lastOfMany = db
    .selectFrom("idempotency_keys")
    .select("created_at")
    .where("calendar_id", "=", row.calendar_id)
    .where("created_at", "<=", expiry)
    .orderBy("created_at")
    .limit(1)
    .offset(DELETED_AT_ONCE - 1);
  await db
    .deleteFrom("idempotency_keys")
    .where("calendar_id", "=", row.calendar_id)
    .where("created_at", "<=", ({ fn, val }) => fn.coalesce(lastOfMany, val(expiry)))
    .execute();
}
