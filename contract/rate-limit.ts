/** Names of the rate-limit headers, lower case as Node delivers them. @see contract section 8 */
export const RATE_LIMIT_HEADERS = {
  limit: "x-ratelimit-limit",
  remaining: "x-ratelimit-remaining",
  reset: "x-ratelimit-reset",
} as const;

export interface RateLimit {
  /** Requests per window. */
  readonly limit: number;
  /** Requests left in this window. */
  readonly remaining: number;
  /** Unix time in seconds at which the window ends. */
  readonly reset: number;
}

/** Reads the rate-limit headers; null when one is missing or not a non-negative integer. */
export function parseRateLimit(headers: Readonly<Record<string, string>>): RateLimit | null {
  const limit = wholeNumber(headers[RATE_LIMIT_HEADERS.limit]);
  const remaining = wholeNumber(headers[RATE_LIMIT_HEADERS.remaining]);
  const reset = wholeNumber(headers[RATE_LIMIT_HEADERS.reset]);
  if (limit === null || remaining === null || reset === null) return null;
  return { limit, remaining, reset };
}

/** The rate-limit headers of a response. */
export function formatRateLimit(rateLimit: RateLimit): Record<string, string> {
  return {
    [RATE_LIMIT_HEADERS.limit]: String(rateLimit.limit),
    [RATE_LIMIT_HEADERS.remaining]: String(rateLimit.remaining),
    [RATE_LIMIT_HEADERS.reset]: String(rateLimit.reset),
  };
}

function wholeNumber(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,15}$/.test(text.trim())) return null;
  return Number(text);
}
