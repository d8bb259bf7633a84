import { RATE_LIMIT_HEADERS } from "../../../contract/rate-limit.js";

type Headers = Readonly<Record<string, string>>;

/** An HTTP date in milliseconds since the Unix epoch; null for anything else. @see RFC 9110 §5.6.7 */
function parseHttpDate(text: string | undefined): number | null {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return null;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date;
}

/**
 * The service's time from the `Date` header, in milliseconds since the Unix epoch; null if it is missing, invalid, or
 * from a cache.
 * @param headers names in lower case
 * @see RFC 9110 §6.6.1, RFC 9111 §5.1
 */
export function readServerTime(headers: Headers): number | null {
  return headers["age"] === undefined ? parseHttpDate(headers["date"]) : null;
}

/** When a request was sent and its response received, in milliseconds since the Unix epoch by the local clock. */
export interface RequestTimes {
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** How far the service's clock is ahead of the local one, in milliseconds; 0 if its time is not known. */
export function clockOffset(headers: Headers, { sentAt, receivedAt }: RequestTimes): number {
  const date = readServerTime(headers);
  return date === null ? 0 : date - (sentAt + receivedAt) / 2;
}

/**
 * `Retry-After` in milliseconds from now; null if it is missing or invalid.
 * @param serverNow null if not known; a date is then treated as invalid
 * @see RFC 9110 §10.2.3
 */
export function readRetryAfter(headers: Headers, serverNow: number | null): number | null {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = parseHttpDate(text);
  return date === null || serverNow === null ? null : Math.max(0, date - serverNow);
}

/**
 * `X-RateLimit-Reset` in milliseconds from now, 0 if it is past. Null if it is missing, or neither a Unix time nor a
 * number of seconds, which some services send instead.
 */
export function readReset(headers: Headers, serverNow: number): number | null {
  const text = headers[RATE_LIMIT_HEADERS.reset]?.trim() ?? "";
  if (!/^\d{1,15}$/.test(text)) return null;
  const value = Number(text);
  if (value < 1e6) return value * 1000;
  return value > 1e9 && value < 1e11 ? Math.max(0, value * 1000 - serverNow) : null;
}

/** Wait after a 429 that does not say how long (ms); it doubles up to the maximum. */
const DEFAULT_WAIT = { first: 1000, max: 20_000 };

/**
 * How long to wait after a 429, in milliseconds: `Retry-After`, else `X-RateLimit-Reset`, but never less than the
 * default wait, so that wrong headers cause no busy loop.
 * @param refusals 429s in a row, including this one
 */
export function waitAfterRefusal(headers: Headers, serverNow: number, refusals: number): number {
  const minimum = Math.min(DEFAULT_WAIT.max, DEFAULT_WAIT.first * 2 ** Math.min(refusals - 1, 10));
  return Math.max(minimum, readRetryAfter(headers, serverNow) ?? readReset(headers, serverNow) ?? 0);
}

/** Whether a 429 says how long to wait. */
export function hasWait(headers: Headers): boolean {
  return readRetryAfter(headers, 0) !== null || readReset(headers, 0) !== null;
}

/** How long to wait, in milliseconds, when a response says that no requests remain; null if some do. */
export function waitIfUsedUp(headers: Headers, serverNow: number): number | null {
  if (headers[RATE_LIMIT_HEADERS.remaining]?.trim() !== "0") return null;
  const wait = readReset(headers, serverNow);
  return wait === null || wait === 0 ? null : wait;
}

/**
 * The wait in milliseconds: one second longer than needed, because the clocks are compared by seconds, and up to one
 * more, so that many clients do not return at once; but never more than the budget. Null if more is needed.
 * @param random from 0 up to 1
 */
export function paddedWait(needed: number, budget: number, random: number): number | null {
  if (needed > budget) return null;
  return Math.min(budget, needed + 1000 + Math.floor(random * 1000));
}
