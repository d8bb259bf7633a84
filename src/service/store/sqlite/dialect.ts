import { CompiledQuery, type Dialect, SqliteDialect } from "kysely";
import type { Store, Transaction } from "../store.js";
import type { Connection, RunUnlocked } from "./connection.js";
import { resultCode } from "./driver.js";

/**
 * SQLite whose writing transactions take the write lock at once. After a plain `begin`, a transaction that reads and
 * then writes fails with SQLITE_BUSY_SNAPSHOT if another process wrote in between, however long it waits.
 */
export function createDialect(connection: Connection): Dialect {
  const dialect = new SqliteDialect({ database: connection });
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => {
      const driver = dialect.createDriver();
      driver.beginTransaction = async (queries, { accessMode }) => {
        connection.renew();
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
 * The two kinds of transaction, one after the other: those of a client in the order of its calls, those of several clients
 * in turns. Each is repeated as a whole while another process holds the lock that it needs; the others go on in the
 * meantime.
 */
export function createTransactions(db: Transaction, run: RunUnlocked): Pick<Store, "read" | "write"> {
  const inTurn = createTurns();
  return {
    read: (work, { client } = {}) =>
      run(() => inTurn(client, () => db.transaction().setAccessMode("read only").execute(work))),
    write: (work, options = {}) =>
      run(() => inTurn(options.client, () => db.transaction().execute(work)), options),
  };
}

type RunInTurn = <T>(client: string | undefined, work: () => Promise<T>) => Promise<T>;

function createTurns(): RunInTurn {
  const queues = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;
  const runNext = async (): Promise<void> => {
    const [next] = queues;
    if (isRunning || next === undefined) return;
    const [client, [work, ...rest]] = next;
    // Last in the order of turns.
    queues.delete(client);
    if (rest.length > 0) queues.set(client, rest);
    isRunning = true;
    await work?.();
    isRunning = false;
    // SQLite works at once: without a pause, requests that arrive in the meantime would not get their turn.
    if (queues.size > 0) setImmediate(runNext);
  };
  return (client = "", work) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(client) ?? [];
      queue.push(() => work().then(resolve, reject));
      queues.set(client, queue);
      void runNext();
    });
}
