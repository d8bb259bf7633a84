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
export async function findIdempotencyKey(
  db: Transaction,
  { calendar_id, user_id, key }: IdempotencyKey,
  now: number,
): Promise<IdempotencyKeyRow | undefined> {
  const [found] = await db.all<IdempotencyKeyRow>(
    `select calendar_id, user_id, key, request_hash, resource_id, created_at from idempotency_keys
    where calendar_id = ? and user_id = ? and key = ? and created_at > ?`,
    calendar_id,
    user_id,
    key,
    now - KEY_RETENTION,
  );
  return found;
}

/** Remembers what was made with a key that is new, or no longer kept, and deletes some keys of the calendar that are too old. */
export async function insertIdempotencyKey(db: Transaction, row: IdempotencyKeyRow): Promise<void> {
  const { calendar_id, user_id, key, request_hash, resource_id, created_at } = row;
  await db.run(
    `insert into idempotency_keys (calendar_id, user_id, key, request_hash, resource_id, created_at)
    values (?, ?, ?, ?, ?, ?)
    on conflict (calendar_id, user_id, key) do update set
      request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = excluded.created_at`,
    calendar_id,
    user_id,
    key,
    request_hash,
    resource_id,
    created_at,
  );
  const expiry = created_at - KEY_RETENTION;
  // Up to the last one of those that are deleted at once, if there are more.
  await db.run(
    `delete from idempotency_keys where calendar_id = ? and created_at <= coalesce(
      (select created_at from idempotency_keys where calendar_id = ? and created_at <= ?
        order by created_at limit 1 offset ${DELETED_AT_ONCE - 1}),
      ?)`,
    calendar_id,
    calendar_id,
    expiry,
    expiry,
  );
}
