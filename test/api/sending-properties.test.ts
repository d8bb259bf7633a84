import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../src/api/clock.js";
import { createRateLimitGate } from "../../src/api/rate-limit-gate.js";
import { DEFAULT_RETRY_POLICY } from "../../src/api/retry.js";
import { createSender } from "../../src/api/sender.js";
import {
  type Fault,
  type HttpResponse,
  type Sent,
  type Transport,
  TransportError,
} from "../../src/api/transport.js";
import { CliError } from "../../src/errors.js";
import { NOW } from "../support/harness.js";

/** What holds for every sequence of answers and failures. The transport and the clock are the outer edges. */

type Outcome = TransportError | HttpResponse;

const RUNS = { numRuns: 500 };
const MAX_WAIT = 60_000;

/** A fault and what is then known of the request. */
const FAULTS: readonly (readonly [Fault, Sent])[] = [
  ["unreachable", "no"],
  ["timeout", "no"],
  ["timeout", "maybe"],
  ["timeout", "answered"],
  ["closed", "maybe"],
  ["cut_short", "answered"],
  ["too_large", "answered"],
  ["too_large", "maybe"],
  ["not_http", "maybe"],
  ["tls", "no"],
  ["proxy", "no"],
];

const fault = fc
  .constantFrom(...FAULTS)
  .map(([kind, sent]) => new TransportError("it failed", { fault: kind, sent, reason: "TEST" }));

const number = fc.oneof(
  fc.integer({ min: -1, max: 100 }),
  fc.integer({ min: NOW / 1000 - 7200, max: NOW / 1000 + 7200 }),
  fc.maxSafeInteger(),
  fc.double(),
);

const advice = fc.oneof(
  number.map(String),
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

const STATUSES = [200, 204, 302, 400, 401, 403, 404, 408, 409, 429, 500, 501, 502, 503, 504];

const answer = fc
  .tuple(fc.oneof(fc.constantFrom(...STATUSES), fc.constant(429)), headers)
  .map(([status, record]): HttpResponse => ({ status, headers: record, body: new Uint8Array() }));

const outcomes = fc.array(fc.oneof(fault, answer), { minLength: 1, maxLength: 12 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

interface Told {
  /** How each attempt went. */
  readonly attempts: readonly Outcome[];
  /** Milliseconds. */
  readonly sleeps: readonly number[];
  readonly result: "done" | CliError;
}

/** Sends one request to a service that behaves as given, and in the same way again from the last on. */
async function sendTo(
  method: "GET" | "POST" | "PUT" | "DELETE",
  planned: readonly Outcome[],
  draw: number,
): Promise<Told> {
  let now = NOW;
  const sleeps: number[] = [];
  const attempts: Outcome[] = [];
  const clock: Clock = {
    now: () => now,
    random: () => draw,
    async sleep(milliseconds) {
      sleeps.push(milliseconds);
      now += milliseconds;
    },
  };
  const transport: Transport = async () => {
    const outcome = planned[Math.min(attempts.length, planned.length - 1)] as Outcome;
    attempts.push(outcome);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const onPause = () => undefined;
  const send = createSender({
    transport,
    clock,
    onPause,
    policy: DEFAULT_RETRY_POLICY,
    gate: createRateLimitGate({ maxWait: MAX_WAIT, slice: 60_000, clock, memory: undefined, onPause }),
    signal: new AbortController().signal,
    onAnswer: () => undefined,
  });
  const url = "https://calendar.example/x";
  const result = await send({
    call: { method, path: "/x", url, subject: "it" },
    request: { url, headers: {} },
    read: async () => "done" as const,
    ...(method === "DELETE" ? { alreadyGone: "done" as const } : {}),
  }).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  return { attempts, sleeps, result };
}

function isRefused(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && !(outcome instanceof Error) && outcome.status === 429;
}

/** Whether the service may have got and done the request. */
function mayBeDone(outcome: Outcome): boolean {
  return outcome instanceof TransportError ? outcome.sent !== "no" : outcome.status !== 429;
}

const method = fc.constantFrom("GET", "POST", "PUT", "DELETE");

test("C2 a POST that may have arrived is the last", async () => {
  await fc.assert(
    fc.asyncProperty(outcomes, random, async (planned, draw) => {
      const { attempts } = await sendTo("POST", planned, draw);
      expect(attempts.slice(0, -1).filter(mayBeDone)).toEqual([]);
    }),
    RUNS,
  );
});

test("C2 a POST is exit 9 exactly when it may have been done and nobody says otherwise", async () => {
  await fc.assert(
    fc.asyncProperty(outcomes, random, async (planned, draw) => {
      const { attempts, result } = await sendTo("POST", planned, draw);
      const last = attempts.at(-1);
      const inDoubt = last instanceof TransportError ? last.sent !== "no" : (last?.status ?? 0) >= 500;
      expect(result !== "done" && result.exitCode === 9).toBe(inDoubt);
    }),
    RUNS,
  );
});

test("C1 no request is sent more often than --retries says, waits for the rate limit aside", async () => {
  await fc.assert(
    fc.asyncProperty(method, outcomes, random, async (name, planned, draw) => {
      const { attempts } = await sendTo(name, planned, draw);
      const counted = attempts.filter((outcome) => !isRefused(outcome));
      expect(counted.length).toBeLessThanOrEqual(DEFAULT_RETRY_POLICY.retries + 1);
    }),
    RUNS,
  );
});

test("C1 done is what was answered with success, or a DELETE whose earlier attempt may have been done", async () => {
  await fc.assert(
    fc.asyncProperty(method, outcomes, random, async (name, planned, draw) => {
      const { attempts, result } = await sendTo(name, planned, draw);
      const last = attempts.at(-1);
      const status = last instanceof Error ? 0 : (last?.status ?? 0);
      const goneBefore = name === "DELETE" && status === 404 && attempts.slice(0, -1).some(mayBeDone);
      if (result === "done") expect((status >= 200 && status < 300) || goneBefore).toBe(true);
      else expect(status >= 200 && status < 300).toBe(false);
    }),
    RUNS,
  );
});

test("C4 waits are never negative, never busy, and together never beyond their bounds", async () => {
  await fc.assert(
    fc.asyncProperty(method, outcomes, random, async (name, planned, draw) => {
      const { attempts, sleeps } = await sendTo(name, planned, draw);
      for (const sleep of sleeps) {
        expect(Number.isFinite(sleep)).toBe(true);
        expect(sleep).toBeGreaterThanOrEqual(0);
      }
      const total = sleeps.reduce((sum, sleep) => sum + sleep, 0);
      const { retries, maxDelay } = DEFAULT_RETRY_POLICY;
      expect(total).toBeLessThanOrEqual(MAX_WAIT + retries * maxDelay);
      // Each refusal that was followed by another attempt was waited for, a second at least.
      const refused = attempts.slice(0, -1).filter(isRefused).length;
      expect(sleeps.filter((sleep) => sleep >= 1000).length).toBeGreaterThanOrEqual(refused);
      expect(refused).toBeLessThanOrEqual(MAX_WAIT / 1000);
    }),
    RUNS,
  );
});
