import type { Clock } from "../../system/clock.js";
import type { HttpResponse } from "../transport.js";
import { boundWait, clockOffset, type Exchanged, waitAfterRefusal, waitWhenUsedUp } from "./rate-limit.js";

/** Why nothing is sent for a while. */
export type Pause =
  | {
      readonly kind: "repeat";
      /** `GET /calendars` */
      readonly request: string;
      /** What went wrong, a sentence without its end. */
      readonly reason: string;
      /** Milliseconds. */
      readonly delay: number;
      /** Counts from 1. */
      readonly repeat: number;
      readonly repeats: number;
    }
  | {
      readonly kind: "rate_limit";
      /** Milliseconds still to wait. */
      readonly left: number;
      /** Whether this begins the wait; it is told again from slice to slice. */
      readonly begins: boolean;
    }
  | { readonly kind: "rate_limit_over" };

/** Told of pauses, so that nobody wonders why nothing happens. */
export type OnPause = (pause: Pause) => void;

/** A pause that the service asked for, shared by the processes that use one token at one origin. */
export interface SharedPause {
  /** Until when no request is to be sent, in milliseconds since the Unix epoch of this machine's clock. */
  readonly until: number;
  /** When that was learned, by the same clock. */
  readonly learned: number;
}

/** Where processes that share a limit leave word of a pause. */
export interface RateLimitStore {
  /** What is remembered; null when nothing is or it cannot be read: then the service itself will say. */
  load(): Promise<SharedPause | null>;
  /** Remembers a pause unless a later learned one is there already. What cannot be written is not remembered; it never fails. */
  save(pause: SharedPause): Promise<void>;
}

/** Keeps requests back while the service's rate limit is used up. One per token and origin in a process. */
export interface RateLimiter {
  /**
   * Waits until requests may be sent. Null when they may; else the milliseconds that are still to wait, which are more
   * than the command may wait.
   */
  acquire(signal: AbortSignal): Promise<number | null>;
  /** Milliseconds that have been waited so far; they count against what the command may wait. */
  waited(): number;
  /** Takes what an answer says about the limit. */
  observe(response: HttpResponse, exchanged: Exchanged): Promise<void>;
}

export interface RateLimiterOptions {
  /** Longest total wait in milliseconds. */
  readonly maxWait: number;
  /** Longest uninterrupted sleep in milliseconds: a countdown shows seconds, and a suspended machine looks again. */
  readonly slice: number;
  readonly clock: Clock;
  /** Undefined where no other process has the same limit. */
  readonly store: RateLimitStore | undefined;
  readonly onPause: OnPause;
}

/** Longest pause that processes share, in milliseconds: a reset that is wrong must not lock all of them out for long. */
const SHARED_MAX = 3_600_000;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { clock, store } = options;
  let closedUntil = 0;
  let budget = options.maxWait;
  /** 429s in a row, and when the last of them was counted: those of requests side by side are one. */
  let refusals = 0;
  let counted = Number.NEGATIVE_INFINITY;
  let waiting: Promise<number | null> | undefined;
  /** When the pause was learned that has been waited for. */
  let served = Number.NEGATIVE_INFINITY;

  const recall = async (): Promise<void> => {
    const pause = await store?.load();
    if (pause === null || pause === undefined || pause.learned <= served) return;
    served = pause.learned;
    closedUntil = Math.max(closedUntil, Math.min(pause.until, pause.learned + SHARED_MAX));
  };

  const wait = async (signal: AbortSignal): Promise<number | null> => {
    const awaited = closedUntil;
    const demand = awaited - clock.now();
    const bounded = boundWait(demand, budget, clock.random());
    if (bounded === null) return demand;
    await sleepInSlices(bounded, options, signal);
    budget -= bounded;
    // Meanwhile another request may have learned of a longer one.
    if (closedUntil <= awaited) closedUntil = 0;
    return null;
  };

  return {
    waited: () => options.maxWait - budget,
    async acquire(signal) {
      await recall();
      while (closedUntil > clock.now()) {
        // Requests side by side share one wait.
        waiting ??= wait(signal).finally(() => {
          waiting = undefined;
        });
        const left = await waiting;
        if (left !== null) return left;
      }
      return null;
    },
    async observe(response, exchanged) {
      const { status, headers } = response;
      const serverNow = clock.now() + clockOffset(headers, exchanged);
      if (status !== 429) refusals = 0;
      else if (exchanged.sentAt > counted) {
        refusals += 1;
        counted = clock.now();
      }
      const demand =
        status === 429 ? waitAfterRefusal(headers, serverNow, refusals) : waitWhenUsedUp(headers, serverNow);
      if (demand === null) return;
      const learned = clock.now();
      closedUntil = learned + demand;
      served = learned;
      if (demand <= SHARED_MAX) await store?.save({ until: closedUntil, learned });
    },
  };
}

async function sleepInSlices(
  milliseconds: number,
  { clock, slice, onPause }: RateLimiterOptions,
  signal: AbortSignal,
): Promise<void> {
  const until = clock.now() + milliseconds;
  let left = milliseconds;
  let begins = true;
  try {
    while (left > 0) {
      onPause({ kind: "rate_limit", left, begins });
      begins = false;
      const nap = Math.min(slice, left);
      await clock.sleep(nap, signal);
      // The clock may have been set, and the machine may have slept: whichever is over first counts.
      left = Math.min(left - nap, until - clock.now());
    }
  } finally {
    onPause({ kind: "rate_limit_over" });
  }
}
