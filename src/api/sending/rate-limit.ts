import { RATE_LIMIT_HEADERS } from "../../../contract/rate-limit.js";

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
