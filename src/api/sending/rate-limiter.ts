import type { Clock } from "../../system/clock.js";
import type { HttpResponse } from "../transport.js";
import { clockOffset, paddedWait, type RequestTimes, waitAfterRefusal, waitIfUsedUp } from "./rate-limit.js";

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
