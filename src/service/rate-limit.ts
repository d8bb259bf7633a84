import type { RateLimit } from "../contract/rate-limit.js";
import type { Store } from "./store/sqlite/open.js";

/** How many requests, in how many seconds. */
export interface RatePolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface MeasuredRate extends RateLimit {
  /** This request is one too many. */
  readonly exceeded: boolean;
  /** Seconds until the window ends, rounded up. */
  readonly retryAfter: number;
}

export interface RateRequest {
  /** Who is counted. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Counts one request in the fixed window that now lies in; windows begin at multiples of their length. */
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

/** The place where requests are counted; the store now, something shared by many services later. */
export interface RateCounter {
  /**
   * Counts one request and resolves with the number so far, this one included, of the window that began then.
   * @param key who is counted
   * @param windowStart milliseconds since the epoch
   */
  count(key: string, windowStart: number): Promise<number>;
}

/** Counts in the store, so that all processes of one database count together. */
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
        // Whoever begins a window sweeps out the old ones.
        if (requests === 1) {
          await db.deleteFrom("rate_windows").where("window_start", "<", windowStart).execute();
        }
        return requests;
      }),
  };
}
