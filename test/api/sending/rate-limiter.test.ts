import { describe, expect, test } from "vitest";
import {
  createRateLimiter,
  type RateLimitStore,
  type SharedPause,
  type WaitNotice,
} from "../../../src/api/sending/rate-limit.js";

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const HOUR = 3_600_000;

interface Setup {
  readonly maxWait?: number;
  readonly maxSleep?: number;
  readonly shared?: SharedPause;
  /** Happens during each sleep. */
  readonly meanwhile?: () => Promise<void>;
  /** How far the clock advances during a sleep; by default as long as the sleep. */
  readonly clockMoves?: (milliseconds: number) => number;
}

function setUp(setup: Setup = {}) {
  const {
    maxWait = 60_000,
    maxSleep = 60_000,
    shared,
    meanwhile,
    clockMoves = (slept: number) => slept,
  } = setup;
  let now = NOW;
  const sleeps: number[] = [];
  const notices: WaitNotice[] = [];
  const stored: SharedPause[] = shared === undefined ? [] : [shared];
  const store: RateLimitStore = {
    load: async () => stored.at(-1) ?? null,
    save: async (pause) => {
      stored.push(pause);
    },
  };
  const limiter = createRateLimiter({
    maxWait,
    maxSleep,
    store,
    onWait: (notice) => notices.push(notice),
    clock: {
      now: () => now,
      random: () => 0,
      sleep: async (milliseconds, signal) => {
        signal.throwIfAborted();
        sleeps.push(milliseconds);
        await meanwhile?.();
        now += clockMoves(milliseconds);
      },
    },
  });
  const answer = (status: number, headers: Record<string, string>) =>
    limiter.observe({ status, headers, body: new Uint8Array() }, { sentAt: now, receivedAt: now });
  const slept = () => sleeps.reduce((sum, milliseconds) => sum + milliseconds, 0);
  return { limiter, answer, sleeps, slept, notices, stored, now: () => now };
}

const { signal } = new AbortController();
const inSeconds = (count: number) => String(NOW / 1000 + count);

describe("a 429", () => {
  test("of several concurrent requests count once: each asks for a second, so the wait is a second", async () => {
    const { limiter, answer, slept } = setUp({ maxWait: 3000 });
    for (let count = 0; count < 4; count += 1) await answer(429, { "retry-after": "1" });
    expect(await limiter.acquire(signal)).toBeNull();
    expect(slept()).toBe(2000);
  });

  test("replaces the reset of an earlier response", async () => {
    const { limiter, answer, slept } = setUp();
    await answer(200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(600) });
    await answer(429, { "retry-after": "2" });
    expect(await limiter.acquire(signal)).toBeNull();
    expect(slept()).toBe(3000);
  });
});

describe("the last request of a window", () => {
  test("by a service whose clock is an hour ahead: its own clock counts", async () => {
    const { limiter, answer, slept } = setUp();
    await answer(200, {
      date: "Sat, 21 Nov 2026 15:30:00 GMT",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": inSeconds(3620),
    });
    expect(await limiter.acquire(signal)).toBeNull();
    expect(slept()).toBe(21_000);
  });
});

describe("several processes", () => {
  test("a pause of more than an hour is not shared: it may be a mistake, and the service says it again", async () => {
    const { answer, stored } = setUp();
    await answer(429, { "retry-after": "3601" });
    await answer(429, { "retry-after": "3600" });
    expect(stored).toEqual([{ until: NOW + HOUR, observedAt: NOW }]);
  });

  test("a pause that is over is not waited for again when the clock is set back", async () => {
    const { limiter, slept } = setUp({
      shared: { until: NOW + 9000, observedAt: NOW - 1000 },
      clockMoves: () => -500,
    });
    expect(await limiter.acquire(signal)).toBeNull();
    expect(slept()).toBe(10_000);
    expect(await limiter.acquire(signal)).toBeNull();
    expect(slept()).toBe(10_000);
  });

  test("a shared pause is at most an hour long", async () => {
    const tenYears = 10 * 365 * 24 * HOUR;
    const { limiter } = setUp({ shared: { until: NOW + tenYears, observedAt: NOW - HOUR + 10_000 } });
    expect(await limiter.acquire(signal)).toBeNull();
    const other = setUp({ shared: { until: NOW + tenYears, observedAt: NOW } });
    expect(await other.limiter.acquire(signal)).toBe(HOUR);
  });
});

describe("the wait", () => {
  test("is shared by concurrent requests, and reported in intervals", async () => {
    const { limiter, answer, sleeps, notices } = setUp({ maxSleep: 1000 });
    await answer(429, { "retry-after": "2" });
    expect(
      await Promise.all([limiter.acquire(signal), limiter.acquire(signal), limiter.acquire(signal)]),
    ).toEqual([null, null, null]);
    expect(sleeps).toEqual([1000, 1000, 1000]);
    expect(notices).toEqual([
      { kind: "rate_limit", remaining: 3000, first: true },
      { kind: "rate_limit", remaining: 2000, first: false },
      { kind: "rate_limit", remaining: 1000, first: false },
      { kind: "rate_limit_over" },
    ]);
  });

  test("includes a pause that another request learns of meanwhile", async () => {
    const learned = ["30"];
    const world = setUp({
      meanwhile: async () => {
        const seconds = learned.pop();
        if (seconds !== undefined) await world.answer(429, { "retry-after": seconds });
      },
    });
    await world.answer(429, { "retry-after": "5" });
    expect(await world.limiter.acquire(signal)).toBeNull();
    expect(world.slept()).toBe(6000 + 25_000);
  });

  test("ends by the clock when the machine was suspended", async () => {
    const { limiter, answer, sleeps } = setUp({ maxSleep: 1000, clockMoves: () => HOUR });
    await answer(429, { "retry-after": "30" });
    expect(await limiter.acquire(signal)).toBeNull();
    expect(sleeps).toEqual([1000]);
  });

  test("ends when the clock is set back meanwhile", async () => {
    const { limiter, answer, slept } = setUp({ maxSleep: 1000, clockMoves: () => -HOUR });
    await answer(429, { "retry-after": "30" });
    expect(await limiter.acquire(signal)).toBeNull();
    expect(slept()).toBe(31_000);
  });

  test("ends with the caller's reason", async () => {
    const { limiter, answer, notices } = setUp();
    await answer(429, { "retry-after": "30" });
    const reason = new Error("interrupted");
    await expect(limiter.acquire(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(notices.at(-1)).toEqual({ kind: "rate_limit_over" });
  });
});
