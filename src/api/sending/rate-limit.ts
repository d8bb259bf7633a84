import { RATE_LIMIT_HEADERS } from "../../../contract/rate-limit.js";
import type { Clock } from "../../system/clock.js";
import type { HttpResponse } from "../transport.js";

type Headers = Readonly<Record<string, string>>;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = "(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)";

/** The three forms of an HTTP date: the current one, that of RFC 850, and that of C's `asctime`. @see RFC 9110 §5.6.7 */
const HTTP_DATES = [
  `${DAY}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `${LONG_DAY}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT`,
  `${DAY} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/** An HTTP date in milliseconds since the Unix epoch; null for anything else. A two-digit year is read as 20xx. */
function parseHttpDate(text: string | undefined): number | null {
  const parts = HTTP_DATES.map((form) => form.exec(text ?? "")?.groups).find(
    (groups) => groups !== undefined,
  );
  if (parts === undefined) return null;
  const { day, month = "", year = "", hour, minute, second } = parts;
  const date = new Date(0);
  date.setUTCFullYear(Number(year.length === 2 ? `20${year}` : year), MONTHS.indexOf(month), Number(day));
  if (date.getUTCDate() !== Number(day)) return null;
  return date.setUTCHours(Number(hour), Number(minute), Number(second));
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

/** The commas between the values of a repeated header, but not those inside a date. */
const BETWEEN_VALUES = new RegExp(`(?<!${DAY}|day),`);

/** A two-digit year that is further ahead belongs to the last century. @see RFC 9110 §5.6.7 */
const FIFTY_YEARS = 50 * 365.25 * 24 * 3_600_000;

/**
 * `Retry-After` in milliseconds from now, the longest of several; null if it is missing or invalid.
 * @param serverNow null if not known; a date is then treated as invalid
 * @see RFC 9110 §10.2.3
 */
export function readRetryAfter(headers: Headers, serverNow: number | null): number | null {
  const values = (headers["retry-after"] ?? "").split(BETWEEN_VALUES);
  const waits = values.map((value) => readWait(value.trim(), serverNow)).filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

function readWait(text: string, serverNow: number | null): number | null {
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = parseHttpDate(text);
  if (date === null || serverNow === null) return null;
  const wait = Math.max(0, date - serverNow);
  return wait > FIFTY_YEARS && text.includes("day,") ? 0 : wait;
}

/**
 * `X-RateLimit-Reset` in milliseconds from now, 0 if it is past. Null if it is missing, or neither a Unix time in
 * seconds or milliseconds nor a number of seconds, which some services send instead.
 */
export function readReset(headers: Headers, serverNow: number): number | null {
  const text = headers[RATE_LIMIT_HEADERS.reset]?.trim() ?? "";
  if (!/^\d{1,15}$/.test(text)) return null;
  const value = Number(text);
  if (value < 1e6) return value * 1000;
  if (value > 1e12 && value < 1e14) return Math.max(0, value - serverNow);
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

/** Why nothing is sent for a while. */
export type WaitNotice =
  | {
      readonly kind: "retry";
      /** Such as `GET /calendars`. */
      readonly request: string;
      /** Why the last attempt failed. */
      readonly reason: string;
      /** Milliseconds. */
      readonly delay: number;
      /** Counts from 1. */
      readonly retry: number;
      /** How many retries there are at most. */
      readonly retries: number;
    }
  | {
      readonly kind: "rate_limit";
      /** Milliseconds still to wait. */
      readonly remaining: number;
      /** Whether this is the first notice of this wait; more follow as it goes on. */
      readonly first: boolean;
    }
  | { readonly kind: "rate_limit_over" };

export type OnWait = (notice: WaitNotice) => void;

/** A pause that the service asked for, shared by the processes that use one token at one origin. */
export interface SharedPause {
  /** When requests may be sent again, in milliseconds since the Unix epoch by this machine's clock. */
  readonly until: number;
  /** When the response that asked for it was received, by the same clock. */
  readonly observedAt: number;
}

/** Shares pauses between processes. It never fails: without it, the service itself reports its limit. */
export interface RateLimitStore {
  /** Null if there is none, or it cannot be read. */
  load(): Promise<SharedPause | null>;
  /** Does nothing if a newer one is stored, or it cannot be written. */
  save(pause: SharedPause): Promise<void>;
}

/** A rate limit that requires a longer wait than the command allows. */
export interface RateLimitReached {
  /** Milliseconds still to wait. */
  readonly wait: number;
  /** Milliseconds that the command has waited already: they count toward `--max-wait` as well. */
  readonly waited: number;
  /** The 429; null when an earlier response said that nothing remains, and nothing was sent. */
  readonly refusal: HttpResponse | null;
}

/** Delays requests while the service's rate limit is used up. One per token and origin in a process. */
export interface RateLimiter {
  /**
   * Waits until a request may be sent. Null when it may; otherwise the milliseconds still to wait, which are more than
   * the command allows.
   */
  acquire(signal: AbortSignal): Promise<number | null>;
  /** Milliseconds waited so far. */
  waited(): number;
  /** Learns from the rate-limit headers of a response. */
  observe(response: HttpResponse, times: RequestTimes): Promise<void>;
}

export interface RateLimiterOptions {
  /** Longest total wait in milliseconds. */
  readonly maxWait: number;
  /** Longest single sleep in milliseconds. Each is followed by a notice and a check of the clock. */
  readonly maxSleep: number;
  readonly clock: Clock;
  /** Undefined if no other process shares the limit. */
  readonly store: RateLimitStore | undefined;
  readonly onWait: OnWait;
}

/** Longest shared pause in milliseconds: a wrong reset must not stop all processes for long. */
const MAX_SHARED_PAUSE = 3_600_000;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { clock, store } = options;
  let pausedUntil = 0;
  let budget = options.maxWait;
  /** 429s in a row, and when the last was counted: those of concurrent requests count once. */
  let refusals = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let waiting: Promise<number | null> | undefined;
  /** When the newest known pause was observed; older ones in the store have been waited for. */
  let newest = Number.NEGATIVE_INFINITY;

  const loadShared = async (): Promise<void> => {
    const pause = await store?.load();
    if (pause === null || pause === undefined || pause.observedAt <= newest) return;
    newest = pause.observedAt;
    pausedUntil = Math.max(pausedUntil, Math.min(pause.until, pause.observedAt + MAX_SHARED_PAUSE));
  };

  const wait = async (signal: AbortSignal): Promise<number | null> => {
    const target = pausedUntil;
    const needed = target - clock.now();
    const milliseconds = paddedWait(needed, budget, clock.random());
    if (milliseconds === null) return needed;
    await sleepWithNotices(milliseconds, options, signal);
    budget -= milliseconds;
    // Meanwhile, a concurrent request may have observed a longer pause.
    if (pausedUntil <= target) pausedUntil = 0;
    return null;
  };

  return {
    waited: () => options.maxWait - budget,
    async acquire(signal) {
      await loadShared();
      while (pausedUntil > clock.now()) {
        // Concurrent requests share one wait.
        waiting ??= wait(signal).finally(() => {
          waiting = undefined;
        });
        const tooLong = await waiting;
        if (tooLong !== null) return tooLong;
      }
      return null;
    },
    async observe({ status, headers }, times) {
      const serverNow = clock.now() + clockOffset(headers, times);
      if (status !== 429) refusals = 0;
      else if (times.sentAt > countedAt) {
        refusals += 1;
        countedAt = clock.now();
      }
      const pause =
        status === 429 ? waitAfterRefusal(headers, serverNow, refusals) : waitIfUsedUp(headers, serverNow);
      if (pause === null) return;
      newest = clock.now();
      pausedUntil = newest + pause;
      if (pause <= MAX_SHARED_PAUSE) await store?.save({ until: pausedUntil, observedAt: newest });
    },
  };
}

async function sleepWithNotices(
  milliseconds: number,
  { clock, maxSleep, onWait }: RateLimiterOptions,
  signal: AbortSignal,
): Promise<void> {
  const until = clock.now() + milliseconds;
  let remaining = milliseconds;
  let first = true;
  try {
    while (remaining > 0) {
      onWait({ kind: "rate_limit", remaining, first });
      first = false;
      const sleep = Math.min(maxSleep, remaining);
      await clock.sleep(sleep, signal);
      // The clock may have been set, or the machine suspended: the shorter wait counts.
      remaining = Math.min(remaining - sleep, until - clock.now());
    }
  } finally {
    onWait({ kind: "rate_limit_over" });
  }
}
