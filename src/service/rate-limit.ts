import type { RateLimit } from "../contract/rate-limit.js";
import type { Store } from "./store/store.js";

/** At most `limit` requests per window. */
export interface RatePolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface MeasuredRate extends RateLimit {
  /** Whether this request is over the limit. */
  readonly exceeded: boolean;
  /** Seconds until the window ends, rounded up. */
  readonly retryAfter: number;
}

export interface RateRequest {
  /** The token or address that is counted. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Counts a request in the current fixed window. Windows start at multiples of their length. */
export async function measureRate(
  counter: RateCounter,
  { limit, windowSeconds }: RatePolicy,
  { key, now }: RateRequest,
): Promise<MeasuredRate> {
  const length = windowSeconds * 1000;
  const windowStart = Math.floor(now / length) * length;
  const requests = await counter.count(key, windowStart);
  const reset = Math.ceil((windowStart + length) / 1000);
  return {
    limit,
    remaining: Math.max(0, limit - requests),
    reset,
    exceeded: requests > limit,
    retryAfter: Math.max(1, reset - Math.floor(now / 1000)),
  };
}

/** Counts requests, now in the store; several services could share another implementation. */
export interface RateCounter {
  /**
   * Counts a request and resolves with the number of requests in its window, including this one.
   * @param key the token or address that is counted
   * @param windowStart milliseconds since the epoch
   */
  count(key: string, windowStart: number): Promise<number>;
}

/** Counts in the store, which all processes of one database share. */
export function createRateCounter(store: Store): RateCounter {
  return {
    count: (key, windowStart) =>
      store.write(async (db) => {
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
      }),
  };
}
