import { describe, expect, test } from "vitest";
import {
  type AttemptFailure,
  DEFAULT_RETRY_POLICY,
  mayHaveSucceeded,
  mayRetry,
  retryDelay,
} from "../../../src/api/sending/retry.js";
import type { FailureKind, Sent } from "../../../src/api/transport.js";

const noResponse = (kind: FailureKind, sent: Sent): AttemptFailure => ({
  kind: "no_response",
  error: { kind, sent },
});
const status = (code: number): AttemptFailure => ({ kind: "status", response: { status: code } });

describe("what may be retried", () => {
  test.each([
    ["the connection was refused", noResponse("unreachable", "no"), true, true],
    ["no connection in time", noResponse("timeout", "no"), true, true],
    ["closed before a response", noResponse("closed", "maybe"), true, false],
    ["no response in time", noResponse("timeout", "maybe"), true, false],
    ["a success that was cut short", noResponse("cut_short", "yes"), true, false],
    ["a response that is too large", noResponse("too_large", "yes"), false, false],
    ["not HTTP", noResponse("not_http", "maybe"), false, false],
    ["an untrusted certificate", noResponse("tls", "no"), false, false],
    ["a proxy that refuses", noResponse("proxy", "no"), false, false],
    ["408", status(408), true, false],
    ["500", status(500), true, false],
    ["502", status(502), true, false],
    ["503", status(503), true, false],
    ["504", status(504), true, false],
    ["501", status(501), false, false],
    ["400", status(400), false, false],
    ["401", status(401), false, false],
    ["403", status(403), false, false],
    ["404", status(404), false, false],
    ["409", status(409), false, false],
    ["412", status(412), false, false],
    ["302", status(302), false, false],
  ] as const)("%s", (_, failure, idempotent, post) => {
    expect(mayRetry("GET", failure)).toBe(idempotent);
    expect(mayRetry("PUT", failure)).toBe(idempotent);
    expect(mayRetry("DELETE", failure)).toBe(idempotent);
    expect(mayRetry("POST", failure)).toBe(post);
  });

  test.each([
    [noResponse("closed", "maybe"), true],
    [noResponse("too_large", "yes"), false],
    [status(503), true],
    [status(409), true],
    [status(422), false],
  ])("%j to a POST with a key: %s", (failure, expected) => {
    expect(mayRetry("POST", failure, true)).toBe(expected);
  });

  test.each([
    [noResponse("unreachable", "no"), false],
    [noResponse("closed", "maybe"), true],
    [noResponse("cut_short", "yes"), true],
    [status(500), true],
    [status(404), false],
    [status(408), false],
  ])("%j may have succeeded: %s", (failure, expected) => {
    expect(mayHaveSucceeded(failure)).toBe(expected);
  });
});

describe("the delay before a retry", () => {
  const delay = (retry: number, random: number, retryAfter: number | null = null) =>
    retryDelay(retry, DEFAULT_RETRY_POLICY, { retryAfter, random });

  test("is random from 0 to a bound that doubles up to 20 seconds", () => {
    expect([0, 1, 2, 3].map((retry) => delay(retry, 0.999))).toEqual([499, 999, 1998, 3996]);
    expect(delay(0, 0)).toBe(0);
    expect(delay(90, 0.5)).toBe(10_000);
  });

  test("is as long as the service asks, and there is none when it asks for more than 20 seconds", () => {
    expect(delay(0, 0.5, 7000)).toBe(7000);
    expect(delay(5, 0.9, 1000)).toBe(14_400);
    expect(delay(0, 0.5, 20_001)).toBeNull();
  });
});
