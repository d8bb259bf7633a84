import { CompiledQuery, type Dialect, SqliteDialect } from "kysely";
import type { Connection, RunUnlocked } from "../../../system/sqlite/connection.js";
import { resultCode } from "../../../system/sqlite/driver.js";
import type { Store, Transaction } from "../store.js";

/**
 * SQLite whose writing transactions take the write lock at once. After a plain `begin`, a transaction that reads and
 * then writes fails with SQLITE_BUSY_SNAPSHOT if another process wrote in between, however long it waits.
 * @param checkFile called before each of them
 */
export function createDialect(connection: Connection, checkFile: () => void): Dialect {
  const dialect = new SqliteDialect({ database: connection });
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => {
      const driver = dialect.createDriver();
      driver.beginTransaction = async (queries, { accessMode }) => {
        connection.renew();
        if (accessMode !== "read only") checkFile();
        const begin = accessMode === "read only" ? "begin" : "begin immediate";
        await queries.executeQuery(CompiledQuery.raw(begin));
      };
      const rollBack = driver.rollbackTransaction.bind(driver);
      driver.rollbackTransaction = async (queries) => {
        try {
          await rollBack(queries);
        } catch (error) {
          // After some errors, such as a full disk, SQLite has rolled back by itself, and then this one is its answer.
          if (resultCode(error) !== "ERROR") throw error;
        }
      };
      return driver;
    },
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/**
 * The two kinds of transaction, one after the other in the order of the calls. Each is repeated as a whole while another
 * process holds the lock that it needs; the others go on in the meantime.
 */
export function createTransactions(db: Transaction, run: RunUnlocked): Pick<Store, "read" | "write"> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(attempt: () => Promise<T>): Promise<T> => {
    const turn = last.then(attempt);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    read: (work) => run(() => inTurn(() => db.transaction().setAccessMode("read only").execute(work))),
    write: (work, options) => run(() => inTurn(() => db.transaction().execute(work)), options),
  };
}
