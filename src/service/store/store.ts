import type { Kysely } from "kysely";
import type { StoreSchema } from "./schema.js";

/** What queries run on: one transaction of the store. */
export type Transaction = Kysely<StoreSchema>;

/** The service's state. Every query runs inside a transaction. */
export interface Store {
  /** Runs queries that only read, on one snapshot. */
  read<T>(work: (db: Transaction) => Promise<T>): Promise<T>;
  /** Runs queries as one transaction that holds the write lock from its start. */
  write<T>(work: (db: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Path of the database if this process created it just now; null if it existed or is in memory. */
  readonly created: string | null;
  close(): Promise<void>;
}

export interface WriteOptions {
  /** How long to wait for the lock of another process (ms); 10 seconds by default. */
  readonly timeout?: number;
}

/** The two kinds of transaction, over an open connection. */
export function createTransactions(db: Transaction): Pick<Store, "read" | "write"> {
  return {
    read: (work) => db.transaction().setAccessMode("read only").execute(work),
    write: (work) => db.transaction().execute(work),
  };
}

/**
 * The creation time to store for a new row: `now`, or the next millisecond that no row of the table has. Lists are
 * ordered by it, so rows created in the same millisecond keep their order.
 * @param now milliseconds since the epoch, like the result
 */
export async function creationTime(
  db: Transaction,
  table: "users" | "calendars" | "tokens" | "clients",
  now: number,
): Promise<number> {
  const rows = await db
    .selectFrom(table)
    .select("created_at")
    .where("created_at", ">=", now)
    .orderBy("created_at")
    .execute();
  // Not after the newest row: a clock that was once ahead would push all later times into the future.
  return rows.reduce((time, { created_at }) => (created_at === time ? time + 1 : time), now);
}
