import type { SetTimer } from "../../src/system/clock.js";

/** Timers without real time: each fires when a test advances them. */
export interface VirtualTimers {
  readonly setTimer: SetTimer;
  /**
   * Begins to let time pass for the timers that run now, not for those that are started later.
   * @returns lets the next of them go off; false when none is left
   */
  beginToPass(): () => boolean;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** @param clock in milliseconds, advanced when a timer fires */
export function createVirtualTimers(clock: { now(): number; setNow(now: number): void }): VirtualTimers {
  const running = new Set<Timer>();
  return {
    setTimer(milliseconds, callback) {
      const timer = { due: clock.now() + milliseconds, callback };
      running.add(timer);
      return () => void running.delete(timer);
    },
    beginToPass() {
      const waiting = [...running].sort((one, other) => one.due - other.due);
      return () => {
        const next = waiting.find((timer) => running.has(timer));
        if (next === undefined) return false;
        running.delete(next);
        clock.setNow(Math.max(clock.now(), next.due));
        next.callback();
        return true;
      };
    },
  };
}

/** More than bytes take from one end of a connection to the other. */
const TURNS = 10;

/** Fires the timers of a peer, one after the other, until it has disconnected. */
export async function passTime(timers: VirtualTimers, gone: Promise<void>): Promise<void> {
  const passOn = timers.beginToPass();
  let over = false;
  void gone.then(() => {
    over = true;
  });
  for (;;) {
    // Lets bytes that were sent earlier arrive first.
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (over || !passOn()) return;
  }
}
