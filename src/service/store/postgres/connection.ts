import pg from "pg";
import { errorCodeOf } from "../../../errors.js";
import type { RunStatement } from "./dialect.js";
import { BusyPoolError, ConnectionError, endsConnection, isPoolerTimeout } from "./errors.js";

/**
 * Runs work on one connection. What it has begun is undone when it fails.
 * @throws ConnectionError, the work's error
 */
export type OnConnection = <T>(work: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

/** The only user of the pool, so that it knows how many connections are in use: the pool counts those being made too. */
export function createOnConnection(pool: pg.Pool): OnConnection {
  let inUse = 0;
  return async (work) => {
    const client = await pool.connect().catch((cause: unknown) => {
      throw inUse === pool.options.max
        ? new BusyPoolError(inUse, cause)
        : new ConnectionError(cause, { isRefused: true });
    });
    inUse += 1;
    try {
      return await useConnection(client, work);
    } finally {
      inUse -= 1;
    }
  };
}

/** The error code of a write where only reading is allowed. */
export const READ_ONLY = "25006";

async function useConnection<T>(
  client: pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await work(client);
  } catch (error) {
    // A connection made while the server was read-only may stay read-only.
    const isOver = error instanceof ConnectionError || errorCodeOf(error) === READ_ONLY;
    client.release(isOver || !(await rollBack(client)));
    throw error;
  }
  client.release();
  return result;
}

/** Resolves with whether the connection can be used again. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await query(client, "rollback");
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs work whose queries are sent one after the other. Those that were not sent when it ends, because one failed that they
 * were started with, or nobody waited for them, reject: they would run outside of the transaction.
 * @param timeout that of `query`
 */
export async function inTurn<T>(
  client: pg.PoolClient,
  work: (run: RunStatement) => Promise<T>,
  timeout?: number,
): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const run: RunStatement = (text, parameters = []) => {
    const result = last.then(() => {
      if (hasEnded) throw new Error("the transaction of this query has ended");
      return query(client, text, { parameters, timeout });
    });
    last = result.catch(() => undefined);
    return result;
  };
  try {
    return await work(run);
  } finally {
    hasEnded = true;
    await last;
  }
}

export interface QueryOptions {
  readonly parameters?: readonly unknown[];
  /** How long to wait for the answer (ms), if not as long as the limit of the pool says. */
  readonly timeout?: number | undefined;
}

/** pg takes it, which its types do not say. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout?: number;
}

/** @throws ConnectionError, the server's error */
export async function query(
  client: Pick<pg.ClientBase, "query">,
  text: string,
  { parameters, timeout }: QueryOptions = {},
): Promise<pg.QueryResult> {
  const timed: TimedQuery = {
    text,
    ...(timeout !== undefined && { query_timeout: timeout }),
    ...(parameters !== undefined && { values: [...parameters] }),
  };
  try {
    return await client.query(timed);
  } catch (error) {
    if (error instanceof pg.DatabaseError && !endsConnection(error)) throw error;
    throw new ConnectionError(error, { isRefused: isPoolerTimeout(error) });
  }
}
