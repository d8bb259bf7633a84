import type { RateLimit } from "../contract/rate-limit.js";
import type { Store, Transaction } from "./store/store.js";

/** At most `limit` requests per window. */
export interface RateLimitPolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface RateLimitResult extends RateLimit {
  /** Whether this request is over the limit. */
  readonly exceeded: boolean;
  /** Seconds until the window ends, rounded up. */
  readonly retryAfter: number;
}

/**
 * Counts a request in the current fixed window. Windows start at multiples of their length, and processes with the same
 * database share them.
 * @param request.key the token or address that is counted
 * @param request.now milliseconds since the epoch
 */
export async function applyRateLimit(
  store: Store,
  { limit, windowSeconds }: RateLimitPolicy,
  { key, now }: { readonly key: string; readonly now: number },
): Promise<RateLimitResult> {
  const length = windowSeconds * 1000;
  const windowStart = Math.floor(now / length) * length;
  const requests = await store.write((db) => countRequest(db, key, windowStart));
  const reset = Math.ceil((windowStart + length) / 1000);
  return {
    limit,
    remaining: Math.max(0, limit - requests),
    reset,
    exceeded: requests > limit,
    retryAfter: Math.max(1, reset - Math.floor(now / 1000)),
  };
}

/** Counts a request. Resolves with the number of requests in its window, including this one. */
async function countRequest(db: Transaction, key: string, windowStart: number): Promise<number> {
  const { requests } = await db
    .insertInto("rate_windows")
    .values({ key, window_start: windowStart, requests: 1 })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((row) => ({
        requests: row
          .case()
          .when("rate_windows.window_start", "=", windowStart)
          .then(row("rate_windows.requests", "+", 1))
          .else(1)
          .end(),
        window_start: windowStart,
      })),
    )
    .returning("requests")
    .executeTakeFirstOrThrow();
  // The first request of a window deletes the old windows.
  if (requests === 1) {
    await db.deleteFrom("rate_windows").where("window_start", "<", windowStart).execute();
  }
  return requests;
}
