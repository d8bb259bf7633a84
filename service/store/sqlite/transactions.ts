import type { OpenDatabase } from "../../../src/system/sqlite/open.js";
import type { Store, Transaction } from "../store.js";
import { createWriteGroups } from "./write-groups.js";

/**
 * The two kinds of transaction, one after the other. Each is repeated as a whole while another process holds the lock that
 * it needs; the others go on in the meantime.
 *
 * One that writes takes the write lock at once. After a plain `begin`, a transaction that reads and then writes fails with
 * SQLITE_BUSY_SNAPSHOT if another process wrote in between, however long it waits.
 * @param db queries on the connection of that database
 */
export function createTransactions(
  { connection, run, requireSameFile }: OpenDatabase,
  db: Transaction,
): Pick<Store, "read" | "write"> {
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
      connection.rollBack();
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
