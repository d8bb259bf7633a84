import pg from "pg";
import { errorCodeOf } from "../../../src/errors.js";
import {
  BusyPoolError,
  ConnectionError,
  endsConnection,
  isPoolerTimeout,
  LOCK_NOT_AVAILABLE,
} from "./errors.js";
import { type ConnectionRequest, createPoolQueue } from "./pool-queue.js";

/** How long a connection is waited for, and how long making one may take (ms). */
export const CONNECT_TIMEOUT = 10_000;

/**
 * Runs work on one connection. What it has begun is undone when it fails.
 * @throws ConnectionError, the work's error, an error with LOCK_NOT_AVAILABLE when other writes kept it waiting
 */
export type OnConnection = <T>(
  work: (client: pg.PoolClient) => Promise<T>,
  request?: Partial<ConnectionRequest>,
) => Promise<T>;

/** The only user of the pool, so that it knows how many connections are in use: the pool counts those being made too. */
export function createOnConnection(pool: pg.Pool, queue = createPoolQueue(pool.options.max)): OnConnection {
  let inUse = 0;
  /** @throws ConnectionError, an error with LOCK_NOT_AVAILABLE */
  const refuse = (): never => {
    if (inUse === pool.options.max) throw new BusyPoolError(inUse);
    if (queue.isFull()) throw new ConnectionError(new Error("no connection was made"), { isRefused: true });
    throw Object.assign(new Error("other writes take too long"), { code: LOCK_NOT_AVAILABLE });
  };
  return async (work, request) => {
    const leave = (await queue.enter({ client: "", timeout: CONNECT_TIMEOUT, ...request })) ?? refuse();
    try {
      const connection = await pool.connect().catch((cause: unknown) => {
        throw new ConnectionError(cause, { isRefused: true });
      });
      inUse += 1;
      try {
        return await useConnection(connection, work);
      } finally {
        inUse -= 1;
      }
    } finally {
      leave();
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
    const isUsable = () =>
      query(client, "rollback").then(
        () => true,
        () => false,
      );
    client.release(isOver || !(await isUsable()));
    throw error;
  }
  client.release();
  return result;
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
