import { createBudget } from "./budget.js";
import { createFairQueue } from "./fair-queue.js";

/** Verifications at a time: scrypt takes 32 MiB and a thread for 100 ms. */
const CONCURRENCY = 2;
/** Verifications that one address may have, running and waiting, and all together. */
const CAPACITY = { perClient: 2, total: 20 };

/** Bounds how many passwords are verified at the same time, and lets addresses take turns. */
export interface PasswordQueue {
  /**
   * Runs a verification when it is its turn: after one of each address that has been waiting for longer.
   * @throws PasswordQueueError when too many are waiting
   */
  run<T>(address: string, verify: () => Promise<T>): Promise<T>;
}

/** Thrown when the queue is full, for one address or for all. */
export class PasswordQueueError extends Error {
  override readonly name = "PasswordQueueError";
  readonly fullFor: "address" | "all";

  constructor(fullFor: "address" | "all") {
    super(`the password queue is full for ${fullFor}`);
    this.fullFor = fullFor;
  }
}

export function createPasswordQueue(): PasswordQueue {
  const budget = createBudget(CAPACITY);
  /** What starts those that wait. */
  const waiting = createFairQueue<() => void>();
  let running = 0;
  const takeTurn = async (address: string) => {
    if (running < CONCURRENCY) running += 1;
    else await new Promise<void>((start) => waiting.add(address, start));
  };
  const passTurn = () => {
    const start = waiting.take();
    if (start === undefined) running -= 1;
    else start();
  };
  return {
    async run(address, verify) {
      const quota = budget.open(address);
      const exceeded = quota.tryTake(1);
      if (exceeded !== null) throw new PasswordQueueError(exceeded === "client" ? "address" : "all");
      await takeTurn(address);
      try {
        return await verify();
      } finally {
        passTurn();
        quota.close();
      }
    },
  };
}
