/** The limit of the client, or that of all clients together. */
export type ExceededLimit = "client" | "total";

/** What a client uses of a budget. */
export type Quota = ReturnType<Budget["open"]>;

type Budget = ReturnType<typeof createBudget>;

/** Limits something that clients use up for a while: connections, requests in progress, bytes in memory. */
export function createBudget(limits: { readonly perClient: number; readonly total: number }) {
  const { perClient, total } = limits;
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
    /** Whose limit is reached; null if a client may take more. */
    exceeded: (client: string) => exceededBy(client, 1),
    /** Begins the use by a client, which lasts until the quota is closed. */
    open(client: string) {
      let used = 0;
      const take = (amount: number) => {
        add(client, amount);
        used += amount;
      };
      return {
        /**
         * Takes an amount, or nothing if a limit would be exceeded. A client that has nothing yet may exceed its own.
         * @returns the limit that prevents it
         */
        tryTake(amount: number): ExceededLimit | null {
          const exceeded = exceededBy(client, amount);
          if (exceeded === null) take(amount);
          return exceeded;
        },
        /** Takes an amount, whatever the limits. */
        take,
        /** Gives back a part of what was taken. */
        give: (amount: number) => take(-amount),
        /** Gives back the rest. */
        close: () => take(-used),
      };
    },
  };
}
