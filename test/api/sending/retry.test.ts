import { describe, expect, test } from "vitest";
import {
  type AttemptFailure,
  DEFAULT_RETRY_POLICY,
  mayRetry,
  retryDelay,
} from "../../../src/api/sending/retry.js";
import type { FailureKind, Sent } from "../../../src/api/transport.js";

const noResponse = (kind: FailureKind, sent: Sent): AttemptFailure => ({
  kind: "no_response",
  error: { kind, sent },
});
const status = (code: number): AttemptFailure => ({ kind: "status", response: { status: code } });

/** test/api/error-table.test.ts has what is retried after every other failure and status. */
describe("what may be retried", () => {
  test.each(["GET", "PUT", "DELETE", "POST"] as const)("a %s that a proxy refuses is not", (method) => {
    expect(mayRetry(method, noResponse("proxy", "no"))).toBe(false);
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
