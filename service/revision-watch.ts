import { listRevisions } from "./store/revisions.js";
import type { Store } from "./store/store.js";

/** How often writes of other processes are looked for, and how soon after a write of this one (ms). */
const CHECK = { interval: 1_000, soon: 20 };

/** The longest pause of a stream (ms): then its token is checked again, and a comment is sent. */
const HEARTBEAT = 10_000;

interface Wait {
  readonly calendarId: string;
  /** The last one that was sent. */
  readonly revision: string;
  readonly signal: AbortSignal;
}

interface Waiter extends Wait {
  readonly wake: () => void;
}

/** Waits for writes to calendars, with one question about all of them. */
export function createRevisionWatch(store: Store) {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let isSoon = false;
  const check = async () => {
    isSoon = false;
    if (waiters.size === 0) {
      timer = undefined;
      return;
    }
    await wakeChanged(store, waiters);
    if (!isSoon) schedule(CHECK.interval);
  };
  const schedule = (delay: number) => {
    clearTimeout(timer);
    timer = waiters.size === 0 ? undefined : setTimeout(check, delay).unref();
  };
  return {
    /** Call it after a write of this process. */
    noteWrite(): void {
      if (isSoon || waiters.size === 0) return;
      isSoon = true;
      schedule(CHECK.soon);
    },
    /** Resolves when the calendar has another revision, after a while, and when the signal aborts. */
    async wait(wait: Wait): Promise<void> {
      const woken = addWaiter(waiters, wait);
      if (timer === undefined) schedule(CHECK.interval);
      await woken;
    },
  };
}

async function wakeChanged(store: Store, waiters: ReadonlySet<Waiter>): Promise<void> {
  const ids = [...waiters].map(({ calendarId }) => calendarId);
  // What cannot be asked now is asked again.
  const revisions = await store.read((db) => listRevisions(db, ids)).catch(() => null);
  for (const { calendarId, revision, wake } of waiters) {
    if (revisions !== null && String(revisions.get(calendarId)) !== revision) wake();
  }
}

/** Adds a waiter, which is removed when it is woken. */
function addWaiter(waiters: Set<Waiter>, wait: Wait): Promise<void> {
  return new Promise((resolve) => {
    const { signal } = wait;
    const wake = () => {
      clearTimeout(heartbeat);
      signal.removeEventListener("abort", wake);
      waiters.delete(waiter);
      resolve();
    };
    const heartbeat = setTimeout(wake, HEARTBEAT).unref();
    const waiter = { ...wait, wake };
    waiters.add(waiter);
    signal.addEventListener("abort", wake);
    if (signal.aborted) wake();
  });
}
