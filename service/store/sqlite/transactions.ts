import type { Connection, RunUnlocked } from "../../../src/system/sqlite/connection.js";
import { resultCode } from "../../../src/system/sqlite/driver.js";
import type { Store, Transaction } from "../store.js";
import { createWriteGroups } from "./write-groups.js";

export interface TransactionsOptions {
  readonly connection: Connection;
  /** Queries on that connection. */
  readonly db: Transaction;
  readonly run: RunUnlocked;
  /** Called before each transaction that writes. */
  readonly requireSameFile: () => void;
}

/**
 * The two kinds of transaction, one after the other. Each is repeated as a whole while another process holds the lock that
 * it needs; the others go on in the meantime.
 *
 * One that writes takes the write lock at once. After a plain `begin`, a transaction that reads and then writes fails with
 * SQLITE_BUSY_SNAPSHOT if another process wrote in between, however long it waits.
 */
export function createTransactions(options: TransactionsOptions): Pick<Store, "read" | "write"> {
  const { connection, db, run, requireSameFile } = options;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(attempt: () => Promise<T>): Promise<T> => {
    const turn = last.then(attempt);
    last = turn.catch(() => undefined);
    return turn;
  };
  // Not by kysely's transactions, which take longer than the queries of most requests.
  const execute = (text: string) => connection.prepare(text).run([]);
  const complete = async <T>(work: (db: Transaction) => Promise<T>): Promise<T> => {
    try {
      const result = await work(db);
      execute("commit");
      return result;
    } catch (error) {
      rollBack(execute);
      throw error;
    }
  };
  const write = createWriteGroups({
    execute,
    transaction: (work) =>
      inTurn(() => {
        connection.renew();
        requireSameFile();
        execute("begin immediate");
        return complete(work);
      }),
  });
  return {
    read: (work, { isOneQuery = false } = {}) =>
      run(() =>
        inTurn(() => {
          connection.renew();
          if (isOneQuery) return work(db);
          execute("begin");
          return complete(work);
        }),
      ),
    write: (work, timeout) => run(() => write(work), timeout),
  };
}

function rollBack(execute: (text: string) => unknown): void {
  try {
    execute("rollback");
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back already, and answers with this one.
    if (resultCode(error) !== "ERROR") throw error;
  }
}
