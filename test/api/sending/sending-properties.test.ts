import fc from "fast-check";
import { expect, test } from "vitest";
import { createContractErrors } from "../../../src/api/json-api/errors.js";
import { createRateLimiter, type WaitNotice } from "../../../src/api/sending/rate-limit.js";
import { DEFAULT_RETRY_POLICY } from "../../../src/api/sending/retry.js";
import { createSender } from "../../../src/api/sending/sender.js";
import { type Transport, TransportError } from "../../../src/api/transport.js";
import { CliError } from "../../../src/errors.js";
import type { Clock } from "../../../src/system/clock.js";
import { NOW } from "../../support/harness.js";
import { type AttemptResult, answer, attemptResults, beforeGone, GONE, random } from "./attempt-results.js";

/** What holds for every sequence of responses and failures. The transport and the clock are the outer edges. */

const RUNS = { numRuns: 500 };
const MAX_WAIT = 60_000;
/** More than any wait of a second allows: without a bound, a busy loop would hang the test. */
const ATTEMPTS_MAX = 100;

interface Sending {
  /** What each attempt met. */
  readonly attempts: readonly AttemptResult[];
  /** Milliseconds. */
  readonly sleeps: readonly number[];
  /** Reported waits for the rate limit and delays before retries, in milliseconds. */
  readonly waits: readonly number[];
  readonly delays: readonly number[];
  readonly result: "done" | CliError;
}

/** Sends one request to a service that behaves as planned, and repeats its last behavior. */
async function sendTo(
  method: "GET" | "POST" | "PUT" | "DELETE",
  planned: readonly AttemptResult[],
  draw: number,
): Promise<Sending> {
  let now = NOW;
  const sleeps: number[] = [];
  const attempts: AttemptResult[] = [];
  const clock: Clock = {
    now: () => now,
    random: () => draw,
    async sleep(milliseconds) {
      sleeps.push(milliseconds);
      now += milliseconds;
    },
  };
  const transport: Transport = async () => {
    const result = planned[Math.min(attempts.length, planned.length - 1)] as AttemptResult;
    attempts.push(result);
    if (attempts.length > ATTEMPTS_MAX) throw new Error("requests without end");
    if (result instanceof Error) throw result;
    return result;
  };
  const waits: number[] = [];
  const delays: number[] = [];
  const onWait = (notice: WaitNotice) => {
    if (notice.kind === "retry") delays.push(notice.delay);
    if (notice.kind === "rate_limit" && notice.first) waits.push(notice.remaining);
  };
  const send = createSender({
    transport,
    clock,
    onWait,
    policy: DEFAULT_RETRY_POLICY,
    limiter: createRateLimiter({ maxWait: MAX_WAIT, maxSleep: 60_000, clock, store: undefined, onWait }),
    signal: new AbortController().signal,
    onResponse: () => undefined,
  });
  const url = "https://calendar.example/x";
  const result = await send({
    request: { method, url, headers: {} },
    name: `${method} /x`,
    errors: createContractErrors({ method, path: "/x", url, subject: "it", mediaType: "application/json" }),
    read: async () => "done" as const,
    ...(method === "DELETE" ? { ifGone: "done" as const } : {}),
  }).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  return { attempts, sleeps, waits, delays, result };
}

function isSuccess(result: AttemptResult | undefined): boolean {
  if (result === undefined || result instanceof Error) return false;
  return result.status >= 200 && result.status < 300;
}

function isRefused(result: AttemptResult | undefined): boolean {
  return result !== undefined && !(result instanceof Error) && result.status === 429;
}

/** Whether the service may have received the request and carried it out. */
function mayBeDone(result: AttemptResult): boolean {
  return result instanceof TransportError ? result.sent !== "no" : result.status !== 429;
}

/** Whether it is unknown if the request was carried out. */
function isUncertain(result: AttemptResult): boolean {
  return result instanceof TransportError ? result.sent !== "no" : result.status >= 500;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const method = fc.constantFrom("GET", "POST", "PUT", "DELETE");

test("C2 a POST that may have arrived is the last", async () => {
  await fc.assert(
    fc.asyncProperty(attemptResults, random, async (planned, draw) => {
      const { attempts } = await sendTo("POST", planned, draw);
      expect(attempts.slice(0, -1).filter(mayBeDone)).toEqual([]);
    }),
    RUNS,
  );
});

test("C2 a POST is exit 9 exactly when it may have succeeded", async () => {
  await fc.assert(
    fc.asyncProperty(attemptResults, random, async (planned, draw) => {
      const { attempts, result } = await sendTo("POST", planned, draw);
      const last = attempts.at(-1);
      const uncertain = last instanceof TransportError ? last.sent !== "no" : (last?.status ?? 0) >= 500;
      expect(result !== "done" && result.exitCode === 9).toBe(uncertain);
    }),
    RUNS,
  );
});

test("C1 no request is sent more often than --retries allows, not counting refusals by the rate limit", async () => {
  await fc.assert(
    fc.asyncProperty(method, attemptResults, random, async (name, planned, draw) => {
      const { attempts } = await sendTo(name, planned, draw);
      const counted = attempts.filter((result) => !isRefused(result));
      expect(counted.length).toBeLessThanOrEqual(DEFAULT_RETRY_POLICY.retries + 1);
    }),
    RUNS,
  );
});

test("C1 a request is done exactly when the last response is a success", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PUT"),
      attemptResults,
      random,
      async (name, planned, draw) => {
        const { attempts, result } = await sendTo(name, planned, draw);
        expect(result === "done").toBe(isSuccess(attempts.at(-1)));
      },
    ),
    RUNS,
  );
});

test("C3 a DELETE is also done if it finds nothing after an earlier attempt that may have succeeded", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(beforeGone, { maxLength: 3 }), answer, random, async (before, final, draw) => {
      const planned = [...before, draw < 0.8 ? GONE : final];
      const { attempts, result } = await sendTo("DELETE", planned, draw);
      const last = attempts.at(-1);
      const gone = last !== undefined && !(last instanceof Error) && last.status === 404;
      const goneBefore = gone && attempts.slice(0, -1).some(isUncertain);
      expect(result === "done").toBe(isSuccess(last) || goneBefore);
    }),
    RUNS,
  );
});

test("C4 waits are never negative, never busy, and never exceed their limits in total", async () => {
  await fc.assert(
    fc.asyncProperty(method, attemptResults, random, async (name, planned, draw) => {
      const { attempts, sleeps, waits, delays } = await sendTo(name, planned, draw);
      for (const sleep of sleeps) {
        expect(Number.isFinite(sleep)).toBe(true);
        expect(sleep).toBeGreaterThanOrEqual(0);
      }
      expect(sum(sleeps)).toBe(sum(waits) + sum(delays));
      expect(sum(waits)).toBeLessThanOrEqual(MAX_WAIT);
      for (const delay of delays) expect(delay).toBeLessThanOrEqual(DEFAULT_RETRY_POLICY.maxDelay);
      // Each refusal that was followed by another attempt was waited for, a second at least.
      const refused = attempts.slice(0, -1).filter(isRefused).length;
      expect(sleeps.filter((sleep) => sleep >= 1000).length).toBeGreaterThanOrEqual(refused);
      expect(refused).toBeLessThanOrEqual(MAX_WAIT / 1000);
    }),
    RUNS,
  );
});
