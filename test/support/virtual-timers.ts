import type { SetTimer } from "../../src/system/clock.js";

/** Timers that measure no time: each goes off when a test lets time pass. */
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

/** @param clock milliseconds; it is set on to when a timer goes off */
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

/** More than bytes need from one end of a connection to the other. */
const TURNS = 10;

/** Lets the timers of a peer go off, one after the other, until it is gone. */
export async function passTime(timers: VirtualTimers, gone: Promise<void>): Promise<void> {
  const passOn = timers.beginToPass();
  let over = false;
  void gone.then(() => {
    over = true;
  });
  for (;;) {
    // What was sent before arrives before.
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (over || !passOn()) return;
  }
}
