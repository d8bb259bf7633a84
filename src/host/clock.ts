import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../api/sending/clock.js";
import type { After } from "../api/transport/timer.js";
import type { HostOverrides } from "../host.js";

/** The machine's clock, timers and random numbers, where nothing replaces them. */
export function createClock({ now, sleep, random }: HostOverrides): Clock {
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
