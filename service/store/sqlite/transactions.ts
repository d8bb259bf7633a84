import { yieldToEventLoop } from "../../../src/system/clock.js";
import type { OpenDatabase } from "../../../src/system/sqlite/open.js";
import { createFairQueue, createLine } from "../../fair-queue.js";
import type { Store, Transaction } from "../store.js";

/** Writes that are committed together at most. */
const MAX_GROUP = 32;

/** How long a group goes on before events come in (ms). */
const SLICE = 5;

interface WaitingWrite {
  /** Resolves with the function that settles the promise of whoever asked for it, to be called after the commit. */
  readonly run: (db: Transaction) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/**
 * The two kinds of transaction, one after the other, those that write and those of each client that reads in turn. Each is repeated as a whole while another process holds the lock that
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
  const inTurn = createLine();
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
  const transaction = <T>(work: (db: Transaction) => Promise<T>): Promise<T> =>
    inTurn("writes", async () => {
      connection.renew();
      requireSameFile();
      execute("begin immediate");
      return complete(work);
    });
  /** Each with a savepoint, to which it is undone if it fails. A long one, which leaves turns to others, is the last. */
  const attemptEach = async (group: readonly WaitingWrite[]): Promise<(() => void)[]> => {
    const outcomes: (() => void)[] = [];
    let wasLong = false;
    const watchTurn = () =>
      setImmediate(() => {
        wasLong = true;
      });
    let [turn, end] = [watchTurn(), performance.now() + SLICE];
    for (const write of group) {
      if (wasLong) break;
      if (performance.now() > end) {
        clearImmediate(turn);
        await yieldToEventLoop();
        [turn, end] = [watchTurn(), performance.now() + SLICE];
      }
      execute("savepoint one_write");
      try {
        outcomes.push(await write.run(db));
      } catch (error) {
        execute("rollback to one_write");
        outcomes.push(() => write.reject(error));
      }
      execute("release one_write");
    }
    clearImmediate(turn);
    return outcomes;
  };
  const write = groupWrites(async function writeAll(group) {
    const [first, ...others] = group;
    let left: readonly WaitingWrite[] = [];
    try {
      if (first !== undefined && others.length === 0) (await transaction(first.run))();
      else {
        const outcomes = await transaction(() => attemptEach(group));
        left = group.slice(outcomes.length);
        for (const settle of outcomes) settle();
      }
    } catch (error) {
      if (others.length === 0) first?.reject(error);
      // Nothing of the group was done. Perhaps only one of them cannot be.
      else for (const write of group) await writeAll([write]);
      return;
    }
    if (left.length > 0) await writeAll(left);
  });
  return {
    read: (work, { isOneQuery = false, client = "" } = {}) =>
      run(() =>
        inTurn(`reads of ${client}`, async () => {
          connection.renew();
          if (isOneQuery) return work(db);
          execute("begin");
          return complete(work);
        }),
      ),
    write: (work, options = {}) => run(() => write(work, options.client), options),
  };
}

/**
 * Commits writes together that are asked for at the same time, since each commit waits for the disk. Each still is done as a
 * whole or not at all, and is confirmed when it is on the disk. A group waits as long as each turn of the event loop brings
 * another write.
 */
function groupWrites(writeAll: (group: readonly WaitingWrite[]) => Promise<void>) {
  const waiting = createFairQueue<WaitingWrite>();
  let isScheduled = false;
  const schedule = (seen: number) => {
    isScheduled = true;
    setImmediate(() => {
      const size = waiting.size();
      if (size > seen && size < MAX_GROUP) {
        schedule(size);
        return;
      }
      isScheduled = false;
      void writeAll(Array.from({ length: MAX_GROUP }, () => waiting.take() ?? []).flat());
      if (waiting.size() > 0) schedule(0);
    });
  };
  return <T>(work: (db: Transaction) => Promise<T>, client = "") =>
    new Promise<T>((resolve, reject) => {
      const run = async (db: Transaction) => {
        const value = await work(db);
        return () => resolve(value);
      };
      waiting.add(client, { run, reject });
      if (!isScheduled) schedule(0);
    });
}
