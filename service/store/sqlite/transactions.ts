import { startCountdown, yieldToEventLoop } from "../../../src/system/clock.js";
import type { Connection } from "../../../src/system/sqlite/connection.js";
import type { OpenDatabase } from "../../../src/system/sqlite/open.js";
import { createFairQueue, createPlaces } from "../../fair-queue.js";
import type { Store, Transaction } from "../store.js";

/** Writes that are committed together at most. */
const MAX_GROUP = 32;

/** How long a group takes more writes (ms): those of others come before more long ones of a client. */
const GROUP_TIME = 10;

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

export interface ServedOptions {
  readonly readers?: readonly Opened[];
  /** @param endOfReads resolves when the reads have ended that are under way when it is called */
  readonly afterGroup?: ((endOfReads: () => Promise<unknown>) => Promise<void>) | undefined;
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
 * @param afterGroup called when writes were committed and confirmed, and before others begin
 */
export function createTransactions(
  { run, requireSameFile }: Pick<OpenDatabase, "run" | "requireSameFile">,
  writer: Opened,
  { readers = [], afterGroup = async () => undefined }: ServedOptions = {},
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
  /** With a savepoint, to which it is undone if it fails. */
  const attemptOne = async (write: WaitingWrite): Promise<() => void> => {
    execute(writer, "savepoint one_write");
    let settle: () => void;
    try {
      settle = await write.run(writer.db);
    } catch (error) {
      execute(writer, "rollback to one_write");
      settle = () => write.reject(error);
    }
    execute(writer, "release one_write");
    return settle;
  };
  const commitGroup = async (
    first: WaitingWrite,
    takeNext: () => WaitingWrite | undefined,
  ): Promise<void> => {
    const group = [first];
    const outcomes: (() => void)[] = [];
    const attemptAll = async () => {
      const isOver = startCountdown(GROUP_TIME);
      outcomes.push(await first.run(writer.db));
      while (group.length < MAX_GROUP && !isOver()) {
        const next = takeNext();
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
      else for (const write of group) await commitGroup(write, () => undefined);
    }
  };
  const reads = new Set<Promise<unknown>>();
  const write = groupWrites(commitGroup, () => afterGroup(() => Promise.allSettled(reads)));
  const readOn = async <T>(opened: Opened, work: (db: Transaction) => Promise<T>, isOneQuery: boolean) => {
    opened.connection.renew();
    if (isOneQuery) return work(opened.db);
    execute(opened, "begin");
    return complete(opened, work);
  };
  return {
    read: (work, { isOneQuery = false, client = "" } = {}) =>
      run(() =>
        reading(`reads of ${client}`, async (opened) => {
          const read = readOn(opened, work, isOneQuery);
          reads.add(read);
          return read.finally(() => reads.delete(read));
        }),
      ),
    write: (work, options = {}) => run(() => write(work, options.client), options),
  };
}

/**
 * Commits writes together that are asked for at the same time, since each commit waits for the disk. Each still is done as a
 * whole or not at all, and is confirmed when it is on the disk. A group begins when no turn of the event loop brings another
 * write, and takes the writes of the clients in turn.
 * @param commitGroup commits the first write, and those that it takes
 */
function groupWrites(
  commitGroup: (first: WaitingWrite, takeNext: () => WaitingWrite | undefined) => Promise<void>,
  afterGroup: () => Promise<void>,
) {
  const waiting = createFairQueue<WaitingWrite>();
  let isRunning = false;
  const commitAll = async () => {
    isRunning = true;
    for (let seen = 0; waiting.size() > 0; ) {
      await yieldToEventLoop();
      const size = waiting.size();
      const isGrowing = size > seen && size < MAX_GROUP;
      seen = isGrowing ? size : 0;
      const first = isGrowing ? undefined : waiting.take();
      if (first === undefined) continue;
      await commitGroup(first, () => waiting.take());
      await yieldToEventLoop();
      await afterGroup();
    }
    isRunning = false;
  };
  return <T>(work: (db: Transaction) => Promise<T>, client = "") =>
    new Promise<T>((resolve, reject) => {
      const run = async (db: Transaction) => {
        const value = await work(db);
        return () => resolve(value);
      };
      waiting.add(client, { run, reject });
      if (!isRunning) void commitAll();
    });
}
