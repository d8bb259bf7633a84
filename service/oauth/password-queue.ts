import { createBudget, type ExceededLimit } from "../budget.js";
import { createFairQueue } from "../fair-queue.js";

/** Verifications at a time: scrypt takes 32 MiB and a thread for 100 ms. */
const CONCURRENCY = 2;
/** Verifications that one address may have, running and waiting, and all together. */
const CAPACITY = { perClient: 2, total: 20 };

export type PasswordQueue = ReturnType<typeof createPasswordQueue>;

/** Bounds how many passwords are verified at the same time, and lets addresses take turns. */
export function createPasswordQueue() {
  const budget = createBudget(CAPACITY);
  /** What starts those that wait. */
  const waiting = createFairQueue<() => void>();
  let running = 0;
  return {
    /**
     * Runs a verification when it is its turn: after one of each address that has been waiting for longer.
     * @returns its result, or the limit that is reached when too many are waiting
     */
    async run<T>(address: string, verify: () => Promise<T>): Promise<T | ExceededLimit> {
      const quota = budget.open(address);
      const exceeded = quota.tryTake(1);
      if (exceeded !== null) return exceeded;
      if (running < CONCURRENCY) running += 1;
      else await new Promise<void>((start) => waiting.add(address, start));
      try {
        return await verify();
      } finally {
        const startNext = waiting.take();
        if (startNext === undefined) running -= 1;
        else startNext();
        quota.close();
      }
    },
  };
}
