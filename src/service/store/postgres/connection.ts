import pg from "pg";
import type { RunStatement } from "./dialect.js";
import { ConnectionError, endsConnection } from "./errors.js";

/**
 * Runs work on one connection. What it has begun is undone when it fails.
 * @throws ConnectionError, the work's error
 */
export async function onConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool);
  let result: T;
  try {
    result = await work(client);
  } catch (error) {
    client.release(error instanceof ConnectionError || !(await rollBack(client)));
    throw error;
  }
  client.release();
  return result;
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new ConnectionError(error, { isRefused: true });
  }
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

/** Queries of one connection, one after the other. @param timeout that of `query` */
export function inTurn(client: pg.PoolClient, timeout?: number): RunStatement {
  let last: Promise<unknown> = Promise.resolve();
  return (text, parameters = []) => {
    const result = last.then(() => query(client, text, { parameters, timeout }));
    last = result.catch(() => undefined);
    return result;
  };
}

export interface QueryOptions {
  readonly parameters?: readonly unknown[];
  /** How long to wait for the answer (ms). The server ends its statements earlier, if it can still be reached. */
  readonly timeout?: number | undefined;
}

/** Of a query without a timeout of its own (ms). */
const QUERY_TIMEOUT = 35_000;

/** pg takes it, which its types do not say. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number;
}

/** @throws ConnectionError, the server's error */
export async function query(
  client: Pick<pg.ClientBase, "query">,
  text: string,
  { parameters, timeout = QUERY_TIMEOUT }: QueryOptions = {},
): Promise<pg.QueryResult> {
  const timed: TimedQuery = {
    text,
    query_timeout: timeout,
    ...(parameters !== undefined && { values: [...parameters] }),
  };
  try {
    return await client.query(timed);
  } catch (error) {
    throw error instanceof pg.DatabaseError && !endsConnection(error) ? error : new ConnectionError(error);
  }
}
