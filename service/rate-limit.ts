import { createLruCache } from "./lru-cache.js";

/** At most `limit` requests per window. */
export interface RateLimitPolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Keys that are counted in a window: about 20 MB. Beyond that, those that were used least recently count from 0 again. */
const MAX_KEYS = 100_000;

/**
 * Limits the requests of each key, as this process counts them in memory. Windows start at multiples of their length.
 */
export function createRateLimiter({ limit, windowSeconds }: RateLimitPolicy) {
  const length = windowSeconds * 1000;
  let start = -1;
  let counts = createLruCache<number>(MAX_KEYS);
  return {
    /**
     * Counts a request in the current window.
     * @param key the token or address that is counted
     * @param now milliseconds since the epoch
     */
    count(key: string, now: number) {
      const current = Math.floor(now / length) * length;
      // A clock that is set back a little does not begin the window before again.
      if (current > start || current < start - length) {
        start = current;
        counts = createLruCache<number>(MAX_KEYS);
      }
      const used = counts.get(key) ?? 0;
      const exceeded = used >= limit;
      if (!exceeded) counts.set(key, used + 1);
      const reset = Math.ceil((start + length) / 1000);
      return {
        limit,
        remaining: exceeded ? 0 : limit - used - 1,
        reset,
        /** Whether this request is over the limit. */
        exceeded,
        /** Seconds until the window ends, rounded up. */
        retryAfter: Math.max(1, reset - Math.floor(now / 1000)),
      };
    },
  };
}
