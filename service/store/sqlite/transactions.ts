import { createTurns, startCountdown, yieldToEventLoop } from "../../../src/system/clock.js";
import type { Connection } from "../../../src/system/sqlite/connection.js";
import type { OpenDatabase } from "../../../src/system/sqlite/open.js";
import type { Store, Transaction } from "../store.js";

/** Writes that are committed together: how many at most, and for how long more are added to them (ms). */
const GROUP = { size: 32, time: 10 };

/** A connection, and queries on it. */
export interface Opened {
  readonly connection: Connection;
  readonly db: Transaction;
}

/** Connections for reads, which then do not wait for writes, nor for the reads of other clients. */
export interface Readers {
  /** Runs work on a connection that nobody else uses meanwhile. */
  use<T>(work: (reader: Opened) => Promise<T>): Promise<T>;
  /**
   * Called before writes.
   * @param endOfReads resolves when the reads have ended that are under way when it is called
   */
  beforeWrites(endOfReads: () => Promise<unknown>): Promise<void>;
}

/**
 * The two kinds of transaction: those that write, one after the other, and those that read, of each client one after the other.
 * Each is repeated as a whole while another process holds the lock that it needs; the others go on in the meantime.
 *
 * One that writes takes the write lock at once. After a plain `begin`, a transaction that reads and then writes fails with
 * SQLITE_BUSY_SNAPSHOT if another process wrote in between, however long it waits.
 * @param writer a connection to that database
 * @param readers without them, reads and writes take turns on the one connection
 */
export function createTransactions(
  { run, requireSameFile }: Pick<OpenDatabase, "run" | "requireSameFile">,
  writer: Opened,
  readers?: Readers,
): Pick<Store, "read" | "write"> {
  const inTurn = createTurns<string>();
  const reads = new Set<Promise<unknown>>();
  const readOn = async <T>(opened: Opened, work: (db: Transaction) => Promise<T>, isOneQuery: boolean) => {
    opened.connection.renew();
    return isOneQuery ? work(opened.db) : transact(opened, "begin", work);
  };
  const addWrite = groupWrites(writer, (work) =>
    inTurn("writes", async () => {
      await readers?.beforeWrites(() => Promise.allSettled(reads));
      writer.connection.renew();
      requireSameFile();
      await transact(writer, "begin immediate", work);
    }),
  );
  return {
    read: (work, { isOneQuery = false, client = "" } = {}) =>
      run(() => {
        if (readers === undefined) return inTurn("writes", () => readOn(writer, work, isOneQuery));
        return inTurn(`reads of ${client}`, () => {
          const read = readers.use((reader) => readOn(reader, work, isOneQuery));
          reads.add(read);
          return read.finally(() => reads.delete(read));
        });
      }),
    write: (work, options = {}) => run(() => addWrite(work), options),
  };
}

interface WaitingWrite {
  /** Resolves with the function that settles the promise of the caller, to be called after the commit. */
  readonly run: (db: Transaction) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits writes together that are asked for at the same time, since each commit waits for the disk. Each still is done as a
 * whole or not at all, and is confirmed when it is on the disk. A group begins when no turn of the event loop brings another write.
 * @param transaction runs work as one transaction when it is its turn
 */
function groupWrites(
  { connection, db }: Opened,
  transaction: (work: () => Promise<void>) => Promise<void>,
): Store["write"] {
  const execute = (text: string) => connection.prepare(text).run([]);
  /** With a savepoint, to which it is undone if it fails. */
  const attemptOne = async (write: WaitingWrite): Promise<() => void> => {
    execute("savepoint one_write");
    const settle = await write.run(db).catch((error: unknown) => {
      execute("rollback to one_write");
      return () => write.reject(error);
    });
    execute("release one_write");
    return settle;
  };
  const commitGroup = async (first: WaitingWrite, more: WaitingWrite[]): Promise<void> => {
    const group = [first];
    const outcomes: (() => void)[] = [];
    const attemptAll = async () => {
      const isOver = startCountdown(GROUP.time);
      outcomes.push(await first.run(db));
      while (group.length < GROUP.size && !isOver()) {
        const next = more.shift();
        if (next === undefined) return;
        group.push(next);
        outcomes.push(await attemptOne(next));
      }
    };
    try {
      await transaction(attemptAll);
      for (const settle of outcomes) settle();
    } catch (error) {
      if (group.length === 1) first.reject(error);
      // Nothing of the group was done. Perhaps only one of them cannot be.
      else for (const write of group) await commitGroup(write, []);
    }
  };
  const waiting: WaitingWrite[] = [];
  let isRunning = false;
  const commitAll = async () => {
    isRunning = true;
    for (let seen = 0; waiting.length > 0; ) {
      await yieldToEventLoop();
      const isGrowing = waiting.length > seen && waiting.length < GROUP.size;
      seen = isGrowing ? waiting.length : 0;
      const first = isGrowing ? undefined : waiting.shift();
      if (first !== undefined) await commitGroup(first, waiting);
    }
    isRunning = false;
  };
  return (work) =>
    new Promise((resolve, reject) => {
      const run = async (transaction: Transaction) => {
        const value = await work(transaction);
        return () => resolve(value);
      };
      waiting.push({ run, reject });
      if (!isRunning) void commitAll();
    });
}

async function transact<T>(
  { connection, db }: Opened,
  begin: string,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  connection.prepare(begin).run([]);
  try {
    const result = await work(db);
    connection.prepare("commit").run([]);
    return result;
  } catch (error) {
    connection.rollBack();
    throw error;
  }
}
