import { setTimeout as delay } from "node:timers/promises";
import { isTimeZone } from "../contract/date-time.js";

/** Time as the client sees it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after some milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/**
 * Calls `act` after some milliseconds, unless it is cancelled before.
 * @returns cancels; once it was called or cancelled, that does nothing
 */
export type After = (milliseconds: number, act: () => void) => () => void;

/** The machine's clock, timers and random numbers, where nothing replaces them. */
export function createClock({ now, sleep, random }: Partial<Clock>): Clock {
  return { now: now ?? Date.now, sleep: sleep ?? sleepFor, random: random ?? Math.random };
}

/** The machine's timer. */
export const startTimer: After = (milliseconds, act) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};

async function sleepFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** The zone of this process as Node resolves it, which reads TZ; undefined when that has no IANA name. */
export function resolveSystemTimeZone(): string | undefined {
  // Node's Intl takes half as long to load as Node itself; machines in UTC, as most servers are, do without it.
  if (new Date(0).toString().endsWith("+0000 (Coordinated Universal Time)")) return "UTC";
  // Typed as text, but undefined for a TZ such as `JST-9`.
  const zone: unknown = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return typeof zone === "string" && zone !== "Etc/Unknown" && isTimeZone(zone) ? zone : undefined;
}
