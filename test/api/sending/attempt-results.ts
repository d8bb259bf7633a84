import fc from "fast-check";
import {
  type FailureKind,
  type HttpResponse,
  type Sent,
  TransportError,
} from "../../../src/api/transport.js";
import { NOW } from "../../support/harness.js";

/** Random results of attempts. */

export type AttemptResult = TransportError | HttpResponse;

/** A failure and what is then known of the request. */
const FAILURES: readonly (readonly [FailureKind, Sent])[] = [
  ["unreachable", "no"],
  ["timeout", "no"],
  ["timeout", "maybe"],
  ["timeout", "yes"],
  ["closed", "maybe"],
  ["cut_short", "yes"],
  ["too_large", "yes"],
  ["too_large", "maybe"],
  ["not_http", "maybe"],
  ["tls", "no"],
  ["proxy", "no"],
];

const failure = fc
  .constantFrom(...FAILURES)
  .map(([kind, sent]) => new TransportError("it failed", { kind, sent, reason: "TEST" }));

const number = fc.oneof(
  fc.integer({ min: -1, max: 100 }),
  fc.integer({ min: NOW / 1000 - 7200, max: NOW / 1000 + 7200 }),
  fc.maxSafeInteger(),
  fc.double(),
);

const advice = fc.oneof(
  number.map(String),
  // Just below and just above the longest wait.
  fc.constantFrom("1", "30", "58", "59", "60", "61"),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.integer({ min: NOW - 7_200_000, max: NOW + 7_200_000 }).map((time) => new Date(time).toUTCString()),
  fc.constantFrom("", "soon", "1e9", "0x10", "Infinity", "NaN", "99999999999999999999", "2, 3", "\u0661"),
);

const headers = fc
  .record(
    {
      "retry-after": advice,
      "x-ratelimit-reset": advice,
      "x-ratelimit-remaining": fc.constantFrom("0", "1", "600", "-1", "none"),
      "x-ratelimit-limit": fc.constant("600"),
      date: advice,
      age: fc.constantFrom("0", "3600"),
    },
    { requiredKeys: [] },
  )
  .map((record) => record as Readonly<Record<string, string>>);

const NOTHING = new Uint8Array();
export const GONE: HttpResponse = { status: 404, headers: {}, body: NOTHING };

/** Results of a first attempt before a second one finds nothing. */
export const beforeGone = fc.oneof(
  failure,
  fc
    .constantFrom(408, 429, 500, 502, 503)
    .map((status): HttpResponse => ({ status, headers: {}, body: NOTHING })),
);

const STATUSES = [200, 204, 302, 400, 401, 403, 404, 408, 409, 429, 500, 501, 502, 503, 504];

export const answer = fc
  .tuple(fc.oneof(fc.constantFrom(...STATUSES), fc.constant(429)), headers)
  .map(([status, record]): HttpResponse => ({ status, headers: record, body: NOTHING }));

export const attemptResults = fc.array(fc.oneof(failure, answer), { minLength: 1, maxLength: 12 });
export const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
