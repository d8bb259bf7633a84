import type { Connection, RunUnlocked } from "../../../src/system/sqlite/connection.js";
import { resultCode } from "../../../src/system/sqlite/driver.js";
import { JUST_NOW, type Store, type Transaction } from "../store.js";
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
export function createTransactions(options: TransactionsOptions): Pick<Store, "read" | "write" | "version"> {
  const { connection, db, run, requireSameFile } = options;
  const version = createVersion(connection);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(attempt: () => Promise<T>): Promise<T> => {
    const turn = last.then(attempt);
    last = turn.catch(() => undefined);
    return turn;
  };
  // Not by kysely's transactions, which take longer than the queries of most requests.
  const execute = (text: string) => connection.prepare(text).run([]);
  const renew = () => {
    if (connection.renew()) version.advance();
  };
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
        renew();
        requireSameFile();
        execute("begin immediate");
        return complete(work).finally(version.advance);
      }),
  });
  return {
    read: (work) =>
      run(() =>
        inTurn(() => {
          renew();
          execute("begin");
          return complete(work);
        }),
      ),
    write: (work, timeout) => run(() => write(work), timeout),
    version: version.current,
  };
}

/** Counts the states of the database that this process has seen: after its own commits, and after those of others. */
function createVersion(connection: Connection) {
  let count = 0;
  let seen: unknown;
  let lookedUp = Number.NEGATIVE_INFINITY;
  const advance = () => {
    count += 1;
  };
  return {
    advance,
    current(since: number): number {
      // Then nothing cached may be used: only the next transaction opens the database anew, and sees what others wrote.
      if (connection.isReadOnly()) advance();
      if (lookedUp > since) return count;
      // In-process requests have no such time, and loading `performance` would take longer than it saves.
      if (since < JUST_NOW) lookedUp = performance.now();
      const found = readDataVersion(connection);
      if (found !== seen || found === undefined) advance();
      seen = found;
      return count;
    },
  };
}

/** A number that the commits of other connections change; undefined while the database cannot be read. */
function readDataVersion(connection: Connection): unknown {
  try {
    const [row] = connection.prepare("pragma data_version").all([]);
    return typeof row === "object" && row !== null && "data_version" in row ? row.data_version : undefined;
  } catch {
    return undefined;
  }
}

function rollBack(execute: (text: string) => unknown): void {
  try {
    execute("rollback");
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back already, and answers with this one.
    if (resultCode(error) !== "ERROR") throw error;
  }
}
