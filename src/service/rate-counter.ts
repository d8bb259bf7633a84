import type { Store } from "./store/open.js";

/** The place where requests are counted; the store now, something shared by many services later. */
export interface RateCounter {
  /**
   * Counts one request and resolves with the number so far, this one included, of the window that began then.
   * @param key who is counted
   * @param windowStart milliseconds since the epoch
   */
  count(key: string, windowStart: number): Promise<number>;
}

/** Counts in the store, so that all processes of one database count together. */
export function createRateCounter(store: Store): RateCounter {
  return {
    count: (key, windowStart) =>
      store.write(async (db) => {
        const { requests } = await db
          .insertInto("rate_windows")
          .values({ key, window_start: windowStart, requests: 1 })
          .onConflict((conflict) =>
            conflict.column("key").doUpdateSet((row) => ({
              requests: row
                .case()
                .when("rate_windows.window_start", "=", windowStart)
                .then(row("rate_windows.requests", "+", 1))
                .else(1)
                .end(),
              window_start: windowStart,
            })),
          )
          .returning("requests")
          .executeTakeFirstOrThrow();
        // Whoever begins a window sweeps out the old ones.
        if (requests === 1) {
          await db.deleteFrom("rate_windows").where("window_start", "<", windowStart).execute();
        }
        return requests;
      }),
  };
}
