import { yieldToEventLoop } from "../../../src/system/clock.js";
import type { Connection } from "../../../src/system/sqlite/connection.js";
import type { OpenDatabase } from "../../../src/system/sqlite/open.js";
import { createFairQueue, createPlaces } from "../../fair-queue.js";
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

/** A connection, and queries on it. */
export interface Opened {
  readonly connection: Connection;
  readonly db: Transaction;
}

/**
 * The two kinds of transaction: those that write, one after the other, and those that read, of each client one after the other.
 * Each is repeated as a whole while another process holds the lock that it needs; the others go on in the meantime.
 *
 * One that writes takes the write lock at once. After a plain `begin`, a transaction that reads and then writes fails with
 * SQLITE_BUSY_SNAPSHOT if another process wrote in between, however long it waits.
 * @param writer a connection to that database
 * @param readers connections of those that read, which do not wait for a long write then, nor for each other; without any, those
 * that read and those that write take turns on the one connection
 */
export function createTransactions(
  { run, requireSameFile }: Pick<OpenDatabase, "run" | "requireSameFile">,
  writer: Opened,
  readers: readonly Opened[] = [],
): Pick<Store, "read" | "write"> {
  const writing = createPlaces([writer]);
  const reading = readers.length === 0 ? writing : createPlaces(readers);
  // Not by kysely's transactions, which take longer than the queries of most requests.
  const execute = ({ connection }: Opened, text: string) => connection.prepare(text).run([]);
  const complete = async <T>(opened: Opened, work: (db: Transaction) => Promise<T>): Promise<T> => {
    try {
      const result = await work(opened.db);
      execute(opened, "commit");
      return result;
    } catch (error) {
      opened.connection.rollBack();
      throw error;
    }
  };
  const transaction = <T>(work: (db: Transaction) => Promise<T>): Promise<T> =>
    writing("writes", async () => {
      writer.connection.renew();
      requireSameFile();
      execute(writer, "begin immediate");
      return complete(writer, work);
    });
  /**
   * Each with a savepoint, to which it is undone if it fails. A long one, which leaves turns to others, is the last: those before
   * it are confirmed with it, and writes of others come before the rest.
   */
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
      execute(writer, "savepoint one_write");
      try {
        outcomes.push(await write.run(writer.db));
      } catch (error) {
        execute(writer, "rollback to one_write");
        outcomes.push(() => write.reject(error));
      }
      execute(writer, "release one_write");
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
        reading(`reads of ${client}`, async (opened) => {
          opened.connection.renew();
          if (isOneQuery) return work(opened.db);
          execute(opened, "begin");
          return complete(opened, work);
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
