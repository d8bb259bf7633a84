import { CliError } from "../src/errors.js";
import type { Store, Transaction } from "./store/store.js";

/** At most `limit` requests per window. */
export interface RateLimitPolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Limits the requests of each key. Windows start at multiples of their length, and processes with the same database
 * share them: each reserves some of what is left in the store, a part at a time, and counts in memory. Therefore few
 * requests write, and none that are over the limit. A process that ends abruptly loses what it had reserved.
 *
 * What cannot be reserved at once, because the database is locked, full or busy, is counted in memory all the same, and
 * recorded with the next reservation for the key, or at the end. Until then no other process knows of it: each lets through
 * at most what was left when it last knew, so that N processes let through N times the limit at worst, in one window.
 */
export function createRateLimiter(store: Store, { limit, windowSeconds }: RateLimitPolicy) {
  const length = windowSeconds * 1000;
  let window = createWindow(-1);
  let isAvailable = true;
  const findCounter = (now: number, key: string): Counter => {
    const start = Math.floor(now / length) * length;
    // A clock that is set back a little does not begin the window before again.
    if (start > window.start || start < window.start - length) window = createWindow(start);
    let counter = window.counters.get(key);
    if (counter === undefined) {
      counter = { reserved: 0, used: 0, unrecorded: 0, total: 0, reserving: null };
      window.counters.set(key, counter);
    }
    return counter;
  };
  /** Reserves a part of the requests that are left. Resolves with how many, and how many the window has now. */
  const reserveStored = async (db: Transaction, { key, start, unrecorded }: Unrecorded) => {
    const row = await db
      .selectFrom("rate_windows")
      .selectAll()
      .where("key", "=", key)
      // The clock of another process may be ahead, and its window the next one.
      .where("window_start", ">=", start)
      .where("window_start", "<=", start + length)
      .executeTakeFirst();
    const before = (row?.requests ?? 0) + unrecorded;
    const granted = portionOf(Math.max(0, limit - before));
    const stored = { window_start: row?.window_start ?? start, requests: before + granted };
    if (stored.requests !== row?.requests) {
      await db
        .insertInto("rate_windows")
        .values({ key, ...stored })
        .onConflict((conflict) => conflict.column("key").doUpdateSet(stored))
        .execute();
    }
    return { granted, total: Math.min(limit, stored.requests) };
  };
  const reserve = async (key: string, counter: Counter, within: Window): Promise<void> => {
    const { unrecorded } = counter;
    const { start } = within;
    const isFirst = !within.hasPruned;
    const timeout = RESERVATION_TIMEOUTS[store.engine][isAvailable ? "first" : "later"];
    try {
      const { granted, total } = await store.write(
        async (db) => {
          // The window before the current one stays: by the clock of another node it may be the current one.
          if (isFirst) {
            await db
              .deleteFrom("rate_windows")
              .where("window_start", "<", start - length)
              .execute();
          }
          return reserveStored(db, { key, start, unrecorded });
        },
        // One request has waited already: the others do not wait as long.
        { timeout, scope: [`rate ${key}`], client: "rate limit", readsWait: true },
      );
      isAvailable = true;
      within.hasPruned = true;
      counter.reserved += granted;
      counter.unrecorded -= unrecorded;
      counter.total = total;
    } catch (error) {
      // Requests that only read go on while the database is locked, read-only or full: they are recorded later.
      if (!(error instanceof CliError)) throw error;
      isAvailable = false;
      const amount = portionOf(limit - counter.total);
      counter.reserved += amount;
      counter.unrecorded += amount;
      counter.total += amount;
    }
  };
  return {
    /**
     * Counts a request in the current fixed window.
     * @param key the token or address that is counted
     * @param now milliseconds since the epoch
     */
    async count(key: string, now: number) {
      const counter = findCounter(now, key);
      const within = window;
      const reserveOnce = () => {
        counter.reserving ??= reserve(key, counter, within).finally(() => {
          counter.reserving = null;
        });
        return counter.reserving;
      };
      while (counter.used >= counter.reserved && counter.total < limit) await reserveOnce();
      // Nothing is left. What was counted in memory alone is recorded now, so that other processes know of it.
      if (counter.used >= counter.reserved && counter.unrecorded > 0) await reserveOnce();
      const exceeded = counter.used >= counter.reserved;
      if (!exceeded) counter.used += 1;
      const reset = Math.ceil((within.start + length) / 1000);
      return {
        limit,
        remaining: limit - counter.total + counter.reserved - counter.used,
        reset,
        /** Whether this request is over the limit. */
        exceeded,
        /** Seconds until the window ends, rounded up. */
        retryAfter: Math.max(1, reset - Math.floor(now / 1000)),
      };
    },
    /** Returns what was reserved and not used. Call it when no request is in progress. */
    async close(): Promise<void> {
      const { start, counters } = window;
      const unused = [...counters].flatMap(([key, { reserved, unrecorded, used }]) =>
        reserved - unrecorded === used ? [] : [{ key, amount: reserved - unrecorded - used }],
      );
      if (unused.length === 0) return;
      const returnAll = async (db: Transaction) => {
        for (const { key, amount } of unused) {
          await db
            .updateTable("rate_windows")
            .set((row) => ({ requests: row("requests", "-", amount) }))
            .where("key", "=", key)
            .where("window_start", "=", start)
            .execute();
        }
      };
      // What cannot be returned is lost until the window ends.
      await store.write(returnAll, { timeout: CLOSE_TIMEOUT }).catch(() => undefined);
    },
  };
}

/** The requests of one key in one window, as this process knows them. */
interface Counter {
  /** Requests that this process may answer, and has answered. */
  reserved: number;
  used: number;
  /** How much of `reserved` the store does not know, because it could not be written. */
  unrecorded: number;
  /** Requests of all processes, reserved or used. */
  total: number;
  /** Settles when more is reserved; null if nothing is being reserved. */
  reserving: Promise<void> | null;
}

/** Requests for a key, answered in the window that starts then, that the store does not know yet. */
type Unrecorded = Pick<Window, "start"> & Pick<Counter, "unrecorded"> & { readonly key: string };

interface Window {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly counters: Map<string, Counter>;
  /** Whether older windows were deleted from the store. */
  hasPruned: boolean;
}

function createWindow(start: number): Window {
  return { start, counters: new Map(), hasPruned: false };
}

/** How much of what is left is reserved at once: little enough that other processes also get some. */
const portionOf = (left: number): number => Math.ceil(left / 8);

/**
 * How long a request waits for the lock of another process, or for a connection, in order to be counted, and how long after
 * another one has waited in vain (ms). On SQLite any write has that lock. On PostgreSQL only one for the same key has it, or
 * administration. A healthy process holds it for a moment, and nodes that share a key must not begin to count on their own.
 */
const RESERVATION_TIMEOUTS = {
  sqlite: { first: 250, later: 0 },
  postgres: { first: 2_000, later: 50 },
} as const;

/** How long the end waits in order to return what is left (ms). */
const CLOSE_TIMEOUT = 5_000;
