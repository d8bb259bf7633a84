import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { PoolClient } from "pg";
import { refuseNul } from "../../../src/system/query-text.js";
import type { StoreSchema } from "../schema.js";
import type { Transaction } from "../store.js";
import { type QueryOptions, query } from "./connection.js";

/** One for all: queries are compiled once for each. */
const ADAPTER = new PostgresAdapter();

/**
 * Runs the work of a transaction, which somebody else begins and ends. Its queries are sent one after the other. Those that were
 * not sent when it ends, because one failed that they were started with, or nobody waited for them, reject: they would run
 * outside of the transaction.
 */
export async function runWork<T>(
  client: PoolClient,
  work: (db: Transaction) => Promise<T>,
  { timeout }: Pick<QueryOptions, "timeout"> = {},
): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const execute = async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
    if (hasEnded) throw new Error("the transaction of this query has ended");
    const result = await query(client, sql, { parameters: refuseNul(parameters), timeout });
    const { rows, rowCount, command } = result;
    return { rows, ...(command !== "SELECT" && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  };
  const connection: DatabaseConnection = {
    executeQuery<R>(compiled: CompiledQuery) {
      const result = last.then(() => execute<R>(compiled));
      last = result.catch(() => undefined);
      return result;
    },
    streamQuery: () => {
      throw new Error("queries are not streamed");
    },
  };
  try {
    return await work(queriesOn(connection));
  } finally {
    hasEnded = true;
    await last;
  }
}

function queriesOn(connection: DatabaseConnection): Transaction {
  const done = async () => undefined;
  return new Kysely<StoreSchema>({
    dialect: {
      createAdapter: () => ADAPTER,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: done,
        acquireConnection: async () => connection,
        beginTransaction: done,
        commitTransaction: done,
        rollbackTransaction: done,
        releaseConnection: done,
        destroy: done,
      }),
    },
  });
}
