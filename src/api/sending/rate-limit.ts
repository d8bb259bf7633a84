import { RATE_LIMIT_HEADERS } from "../../contract/rate-limit.js";

/** A date as HTTP writes it, in milliseconds since the Unix epoch; null for anything else. @see RFC 9110 §5.6.7 */
export function parseHttpDate(text: string | undefined): number | null {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return null;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date;
}

/**
 * The service's clock as an answer tells it by `Date`, in milliseconds since the Unix epoch; null when it does not say,
 * or was written by a cache earlier.
 * @param headers names in lower case
 * @see RFC 9110 §6.6.1, RFC 9111 §5.1
 */
export function readServerTime(headers: Readonly<Record<string, string>>): number | null {
  return headers["age"] === undefined ? parseHttpDate(headers["date"]) : null;
}

type Headers = Readonly<Record<string, string>>;

/** When a request was sent and its answer received, by the clock here, in milliseconds since the Unix epoch. */
export interface Exchanged {
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * How far the service's clock is ahead of the one here, in milliseconds; 0 when its `Date` does not say, or was
 * written by a cache earlier.
 * @see RFC 9110 §6.6.1
 */
export function clockOffset(headers: Headers, { sentAt, receivedAt }: Exchanged): number {
  const date = readServerTime(headers);
  return date === null ? 0 : date - (sentAt + receivedAt) / 2;
}

/**
 * `Retry-After` in milliseconds from now on; null when absent or unreadable.
 * @param serverNow null where that is not known: then a date is unreadable
 * @see RFC 9110 §10.2.3
 */
export function readRetryAfter(headers: Headers, serverNow: number | null): number | null {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = parseHttpDate(text);
  return date === null || serverNow === null ? null : Math.max(0, date - serverNow);
}

/**
 * `X-RateLimit-Reset` in milliseconds from now on, 0 when it is past; null when it is absent, garbage or neither a
 * Unix time nor a number of seconds, which some services send instead.
 */
export function readReset(headers: Headers, serverNow: number): number | null {
  const text = headers[RATE_LIMIT_HEADERS.reset]?.trim() ?? "";
  if (!/^\d{1,15}$/.test(text)) return null;
  const value = Number(text);
  if (value < 1e6) return value * 1000;
  return value > 1e9 && value < 1e11 ? Math.max(0, value * 1000 - serverNow) : null;
}

/** Shortest and longest wait after a 429 that does not say how long, in milliseconds. */
const BLIND_WAIT = { first: 1000, longest: 20_000 };

/**
 * How long a 429 asks to wait, in milliseconds: as `Retry-After` says, else as `X-RateLimit-Reset` says, else longer
 * from refusal to refusal. Never less than the last of these, so that wrong advice makes no busy loop.
 * @param refusals 429s in a row, this one included
 */
export function waitAfterRefusal(headers: Headers, serverNow: number, refusals: number): number {
  const blind = Math.min(BLIND_WAIT.longest, BLIND_WAIT.first * 2 ** Math.min(refusals - 1, 10));
  return Math.max(blind, readRetryAfter(headers, serverNow) ?? readReset(headers, serverNow) ?? 0);
}

/** Whether a 429 says how long to wait. */
export function saysWhen(headers: Headers): boolean {
  return readRetryAfter(headers, 0) !== null || readReset(headers, 0) !== null;
}

/** How long to wait, in milliseconds, when an answer says that nothing is left; null when something is. */
export function waitWhenUsedUp(headers: Headers, serverNow: number): number | null {
  if (headers[RATE_LIMIT_HEADERS.remaining]?.trim() !== "0") return null;
  const wait = readReset(headers, serverNow);
  return wait === null || wait === 0 ? null : wait;
}

/**
 * The wait that is made of a demand: a second more, since the clocks are compared by seconds, and up to another one,
 * so that many clients do not come back at once; but never more than the budget. Null when the demand is beyond it.
 * @param random from 0 up to 1
 */
export function boundWait(demand: number, budget: number, random: number): number | null {
  if (demand > budget) return null;
  return Math.min(budget, demand + 1000 + Math.floor(random * 1000));
}
