import pg from "pg";
import { errorCodeOf } from "../../../src/errors.js";
import { refuseNul } from "../../../src/system/query-text.js";
import type { SqlValue } from "../sql.js";
import type { Transaction } from "../store.js";
import { ConnectionError, endsConnection, READ_ONLY } from "./errors.js";

/** Sends statements. @throws ConnectionError, the server's error */
type Send = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

export interface TransactionOptions {
  /** Statements that begin it. */
  readonly begin: string;
  /** Called with their results. */
  readonly onBegun?: (results: readonly pg.QueryResult[]) => void;
  /** How long the answer to each query is waited for (ms). */
  readonly timeout: number;
  /** Ends the connection, and so what the server does for it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a transaction on a connection of a pool. It is undone when it fails.
 * @throws ConnectionError, the error of the server or of the work, the signal's reason
 */
export async function transact<T>(
  pool: pg.Pool,
  { begin, onBegun, timeout, signal }: TransactionOptions,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new ConnectionError(cause, "connect");
  });
  let isLost = false;
  const send: Send = async (text, values = []) => {
    // pg takes a timeout, which its types do not say.
    const query = { text, values: [...refuseNul(values)], query_timeout: timeout };
    try {
      return await client.query(query);
    } catch (error) {
      if (error instanceof pg.DatabaseError && !endsConnection(error)) throw error;
      isLost = true;
      throw new ConnectionError(error, text === "commit" ? "commit" : "query");
    }
  };
  // Clients of a pool can be ended, which its types do not say.
  const end = () => void (client instanceof pg.Client && client.end());
  signal?.addEventListener("abort", end, { once: true });
  try {
    signal?.throwIfAborted();
    // Several statements without parameters have several results, which the types do not say.
    const begun: unknown = await send(begin);
    onBegun?.(begun as readonly pg.QueryResult[]);
    const result = await runWork(send, work);
    const { command } = await send("commit");
    if (command !== "COMMIT") throw new Error("a transaction went on after one of its queries had failed");
    client.release();
    return result;
  } catch (error) {
    // A connection that was made while the server was read-only may stay read-only.
    if (!isLost && errorCodeOf(error) !== READ_ONLY) await send("rollback").catch(() => undefined);
    client.release(isLost || errorCodeOf(error) === READ_ONLY);
    throw signal?.aborted === true ? signal.reason : error;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/**
 * Runs the work of a transaction, which somebody else begins and ends. Its queries are sent one after the other. Those that were
 * not sent when it ends, because one failed that they were started with, or nobody waited for them, reject: they would run
 * outside of the transaction.
 */
async function runWork<T>(send: Send, work: (db: Transaction) => Promise<T>): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const query = (text: string, values: readonly SqlValue[]) => {
    const result = last.then(() => {
      if (hasEnded) throw new Error("the transaction of this query has ended");
      return send(numbered(text, values), values);
    });
    last = result.catch(() => undefined);
    return result;
  };
  try {
    return await work({
      all: async (text, ...values) => (await query(text, values)).rows,
      run: async (text, ...values) => (await query(text, values)).rowCount ?? 0,
      jsonArray: "json_build_array",
    });
  } finally {
    hasEnded = true;
    await last;
  }
}

/** PostgreSQL numbers what stands for values. The name of a schema may have a `?`, but no query with values has one. */
function numbered(text: string, values: readonly unknown[]): string {
  if (values.length === 0) return text;
  return text.split("?").reduce((before, after, number) => `${before}$${number}${after}`);
}
