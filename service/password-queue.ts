/** Verifications at a time: scrypt takes 32 MiB and a thread for 100 ms. */
const CONCURRENCY = 2;
/** Verifications that one address may have, running and waiting, and all together. */
const ADDRESS_CAPACITY = 2;
const CAPACITY = 20;

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
  /** Running and waiting, by address. */
  const sizes = new Map<string, number>();
  /** What starts the waiting ones, by address; the next turn is that of the first address. */
  const waiting = new Map<string, readonly (() => void)[]>();
  let size = 0;
  let running = 0;

  const enter = (address: string) => {
    const ofAddress = sizes.get(address) ?? 0;
    if (ofAddress >= ADDRESS_CAPACITY) throw new PasswordQueueError("address");
    if (size >= CAPACITY) throw new PasswordQueueError("all");
    sizes.set(address, ofAddress + 1);
    size += 1;
  };
  const leave = (address: string) => {
    const others = (sizes.get(address) ?? 0) - 1;
    if (others > 0) sizes.set(address, others);
    else sizes.delete(address);
    size -= 1;
  };
  const takeTurn = async (address: string) => {
    if (running < CONCURRENCY) {
      running += 1;
      return;
    }
    await new Promise<void>((start) => {
      waiting.set(address, [...(waiting.get(address) ?? []), start]);
    });
  };
  const passTurn = () => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [address, [start, ...later]] = next;
    waiting.delete(address);
    // Behind every other address that waits.
    if (later.length > 0) waiting.set(address, later);
    start?.();
  };
  return {
    async run(address, verify) {
      enter(address);
      try {
        await takeTurn(address);
        try {
          return await verify();
        } finally {
          passTurn();
        }
      } finally {
        leave(address);
      }
    },
  };
}
