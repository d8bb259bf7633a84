import { setTimeout as delay } from "node:timers/promises";

/** Time and randomness; tests replace them. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after some milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** Calls back once after some milliseconds. @returns cancels it; has no effect afterwards */
export type SetTimer = (milliseconds: number, callback: () => void) => () => void;

/** The machine's clock, timers and random numbers, except those replaced. */
export function createClock({ now, sleep, random }: Partial<Clock>): Clock {
  return { now: now ?? Date.now, sleep: sleep ?? sleepFor, random: random ?? Math.random };
}

/** The machine's timers. */
export const setTimer: SetTimer = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/** Resolves after some milliseconds; rejects with the signal's reason as soon as it aborts. */
export async function sleepFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/**
 * Lets events come in, such as signals and requests: work on an SQLite file waits for nothing, so that they would come
 * after it.
 * @throws the signal's reason
 */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/** Runs the work of each key one after the other. In between, other events come in. */
export function createTurns<K>() {
  const last = new Map<K, Promise<void>>();
  return <T>(key: K, work: () => Promise<T>): Promise<T> => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const end = result
      .then(
        () => yieldToEventLoop(),
        () => yieldToEventLoop(),
      )
      .then(() => {
        if (last.get(key) === end) last.delete(key);
      });
    last.set(key, end);
    return result;
  };
}

/** After how many items, and how many milliseconds, events come in. */
const SLICE = { items: 50, time: 5 } as const;

/** Passes items on, and lets events come in every few milliseconds. */
export async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  let [count, isOver] = [0, startCountdown(SLICE.time)];
  for (const item of items) {
    yield item;
    count += 1;
    if (count < SLICE.items && !isOver()) continue;
    await yieldToEventLoop();
    [count, isOver] = [0, startCountdown(SLICE.time)];
  }
}

/** Returns a function that says whether so many milliseconds have passed. */
export function startCountdown(milliseconds: number): () => boolean {
  const end = Date.now() + milliseconds;
  return () => Date.now() >= end;
}

/** A function that calls `create` once, and returns the same afterwards. */
export function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
