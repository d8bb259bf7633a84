import type { RateLimit } from "../contract/rate-limit.js";
import type { RateCounter } from "./rate-counter.js";

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
