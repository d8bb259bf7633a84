import { createTurns } from "../../src/system/clock.js";
import { createLimit, type ExceededLimit } from "../concurrency-limit.js";

/** Verifications that one address may have, running and waiting, and all together. */
const CAPACITY = { perClient: 2, total: 20 };

export type PasswordQueue = ReturnType<typeof createPasswordQueue>;

/** Verifies one password at a time: scrypt takes 32 MiB and a thread for 100 ms. */
export function createPasswordQueue() {
  const places = createLimit(CAPACITY);
  const runInTurn = createTurns<null>();
  return {
    /** @returns the result of the verification, or the limit that is reached when too many are waiting */
    async run<T>(address: string, verify: () => Promise<T>): Promise<T | ExceededLimit> {
      const exceeded = places.exceeded(address);
      if (exceeded !== null) return exceeded;
      places.add(address, 1);
      try {
        return await runInTurn(null, verify);
      } finally {
        places.add(address, -1);
      }
    },
  };
}
