/** Something that clients use up for a while: connections, requests in progress, bytes in memory. */
export interface Budget {
  /** Begins the use by a client, which lasts until the quota is closed. */
  open(client: string): Quota;
  /** Whose limit is reached; null if a client may take more. */
  exceeded(client: string): ExceededLimit | null;
}

/** The limit of the client, or that of all clients together. */
export type ExceededLimit = "client" | "total";

export interface Quota {
  /**
   * Takes an amount, or nothing if a limit would be exceeded. A client that has nothing yet may exceed its own.
   * @returns the limit that prevents it
   */
  tryTake(amount: number): ExceededLimit | null;
  /** Takes an amount, whatever the limits. */
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

export function createBudget({ perClient, total }: BudgetLimits): Budget {
  const taken = new Map<string, number>();
  let sum = 0;
  const add = (client: string, amount: number) => {
    sum += amount;
    const own = (taken.get(client) ?? 0) + amount;
    if (own === 0) taken.delete(client);
    else taken.set(client, own);
  };
  const exceededBy = (client: string, amount: number): ExceededLimit | null => {
    const own = taken.get(client) ?? 0;
    if (own > 0 && own + amount > perClient) return "client";
    return sum + amount > total ? "total" : null;
  };
  return {
    exceeded: (client) => exceededBy(client, 1),
    open(client) {
      let share = 0;
      const take = (amount: number) => {
        add(client, amount);
        share += amount;
      };
      return {
        tryTake(amount) {
          const exceeded = exceededBy(client, amount);
          if (exceeded === null) take(amount);
          return exceeded;
        },
        take,
        give: (amount) => take(-amount),
        close: () => take(-share),
      };
    },
  };
}
