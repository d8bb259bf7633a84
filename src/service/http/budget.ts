import { ProblemError } from "./response.js";

/** Something that clients use up for a while: connections, requests under way, bytes in memory. */
export interface Budget {
  /** Begins the use by a client, which lasts until the share is closed. */
  open(client: string): Share;
}

export interface Share {
  /**
   * Takes an amount. A client that has nothing yet may take more than the limit of one client at once.
   * @throws ProblemError 429 when the client would have too much, 503 when all clients together would
   */
  take(amount: number): void;
  /** Gives back a part of what was taken. */
  give(amount: number): void;
  /** Gives back the rest. */
  close(): void;
}

export interface BudgetLimits {
  readonly perClient: number;
  readonly total: number;
}

const RETRY_SOON = { headers: { "retry-after": "1" } } as const;

export function createBudget({ perClient, total }: BudgetLimits): Budget {
  const taken = new Map<string, number>();
  let sum = 0;
  const add = (client: string, amount: number) => {
    sum += amount;
    const own = (taken.get(client) ?? 0) + amount;
    if (own === 0) taken.delete(client);
    else taken.set(client, own);
  };
  return {
    open(client) {
      let share = 0;
      const give = (amount: number) => {
        add(client, -amount);
        share -= amount;
      };
      return {
        take(amount) {
          const own = taken.get(client) ?? 0;
          if (own > 0 && own + amount > perClient) throw new ProblemError(429, RETRY_SOON);
          if (sum + amount > total) throw new ProblemError(503, RETRY_SOON);
          add(client, amount);
          share += amount;
        },
        give,
        close: () => give(share),
      };
    },
  };
}
