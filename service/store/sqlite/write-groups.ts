import type { Transaction } from "../store.js";

export interface WriteGroupsOptions {
  /** Runs work as one transaction. Resolves when it is committed. */
  readonly transaction: <T>(work: (db: Transaction) => Promise<T>) => Promise<T>;
  /** Runs a statement on the connection of that transaction. */
  readonly execute: (text: string) => unknown;
}

/** Runs work that writes. Resolves when it is committed. */
export type Write = <T>(work: (db: Transaction) => Promise<T>) => Promise<T>;

/** Writes that are committed together at most. */
const MAX_GROUP = 32;

interface WaitingWrite {
  /** Resolves with the function that settles the promise of whoever asked for it, to be called after the commit. */
  readonly run: (db: Transaction) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits writes together that are asked for at the same time, since each commit waits for the disk. Each still is done as a
 * whole or not at all, and is confirmed when it is on the disk. A group waits as long as each turn of the event loop brings
 * another write.
 */
export function createWriteGroups({ transaction, execute }: WriteGroupsOptions): Write {
  const waiting: WaitingWrite[] = [];
  let isScheduled = false;
  const schedule = (seen: number) => {
    isScheduled = true;
    setImmediate(() => {
      if (waiting.length > seen && waiting.length < MAX_GROUP) {
        schedule(waiting.length);
        return;
      }
      isScheduled = false;
      void writeAll(waiting.splice(0, MAX_GROUP));
      if (waiting.length > 0) schedule(0);
    });
  };
  const writeAll = async (group: readonly WaitingWrite[]) => {
    const [first, ...others] = group;
    try {
      if (first !== undefined && others.length === 0) {
        (await transaction(first.run))();
        return;
      }
      for (const confirm of await transaction((db) => attemptEach(group, db, execute))) confirm();
    } catch (error) {
      if (others.length === 0) first?.reject(error);
      // Nothing of the group was done. Perhaps only one of them cannot be.
      else for (const write of group) await writeAll([write]);
    }
  };
  return <T>(work: (db: Transaction) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const run = async (db: Transaction) => {
        const value = await work(db);
        return () => resolve(value);
      };
      waiting.push({ run, reject });
      if (!isScheduled) schedule(0);
    });
}

/** Each with a savepoint, to which it is undone if it fails. */
async function attemptEach(
  group: readonly WaitingWrite[],
  db: Transaction,
  execute: WriteGroupsOptions["execute"],
): Promise<(() => void)[]> {
  const outcomes: (() => void)[] = [];
  for (const { run, reject } of group) {
    execute("savepoint one_write");
    try {
      outcomes.push(await run(db));
    } catch (error) {
      execute("rollback to one_write");
      outcomes.push(() => reject(error));
    }
    execute("release one_write");
  }
  return outcomes;
}
