import { type Budget, createBudget } from "../../budget.js";
import { createFairQueue } from "../../fair-queue.js";

/**
 * How many connections writes have at most: those of one scope two (one writes while the next waits for its lock), those of
 * one client three, all together half of the pool. Writes that reads wait for have two of their own. So no read waits for the
 * locks of writes.
 */
const WRITES = { perScope: 2, perClient: 3, forReads: 2 };

/** A transaction that needs a connection. */
export interface ConnectionRequest {
  /** Whose it is: one transaction of each client after the other gets a connection. */
  readonly client: string;
  /** The scope of one that writes; undefined: it only reads. */
  readonly scope?: readonly string[] | undefined;
  /** Whether it is a write that reads wait for. */
  readonly readsWait?: boolean | undefined;
  /** How long it waits (ms); 0: it does not wait. */
  readonly timeout: number;
}

/** Decides which transaction may use a connection of a pool. */
export interface PoolQueue {
  /** Resolves with a function that gives the connection back; null if there was none in time. */
  enter(request: ConnectionRequest): Promise<(() => void) | null>;
  /** Whether every connection is given away. */
  isFull(): boolean;
  /** How many transactions wait. */
  waiting(): number;
}

interface Waiting {
  readonly request: ConnectionRequest;
  readonly admit: () => void;
}

/** @param size connections of the pool */
export function createPoolQueue(size: number): PoolQueue {
  const limits = createLimits(size);
  const queue = createFairQueue<Waiting>();
  const admitAll = () => {
    while (!limits.isFull()) {
      const next = queue.take(({ request }) => limits.allows(request));
      if (next === undefined) return;
      next.admit();
    }
  };
  const take = (request: ConnectionRequest) => {
    const give = limits.take(request);
    return () => {
      const wasFull = limits.isFull();
      give();
      // Otherwise whoever waits does so because of other writes.
      if (wasFull || request.scope !== undefined) admitAll();
    };
  };
  return {
    async enter(request) {
      if (limits.allows(request)) return take(request);
      if (request.timeout <= 0) return null;
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          queue.remove(request.client, waiting);
          resolve(null);
        }, request.timeout);
        const admit = () => {
          clearTimeout(timer);
          resolve(take(request));
        };
        const waiting = { request, admit };
        queue.add(request.client, waiting);
      });
    },
    isFull: limits.isFull,
    waiting: queue.size,
  };
}

/** What is taken of the connections, by whom. */
function createLimits(size: number) {
  let taken = 0;
  const writers = createBudget({ perClient: WRITES.perClient, total: Math.max(1, Math.floor(size / 2)) });
  const writersForReads = createBudget({ perClient: WRITES.forReads, total: WRITES.forReads });
  const scopes = createBudget({ perClient: WRITES.perScope, total: Number.POSITIVE_INFINITY });
  const takeOne = (budget: Budget, client: string) => {
    const quota = budget.open(client);
    quota.take(1);
    return quota;
  };
  const writersLike = ({ readsWait }: ConnectionRequest) => (readsWait === true ? writersForReads : writers);
  const isFull = () => taken === size;
  return {
    isFull,
    allows(request: ConnectionRequest): boolean {
      if (isFull()) return false;
      const { client, scope } = request;
      if (scope === undefined) return true;
      const mayWrite = writersLike(request).exceeded(client) === null;
      return mayWrite && scope.every((name) => scopes.exceeded(name) === null);
    },
    /** Returns a function that gives it back. */
    take(request: ConnectionRequest): () => void {
      taken += 1;
      const { client, scope } = request;
      const quotas = scope?.map((name) => takeOne(scopes, name)) ?? [];
      if (scope !== undefined) quotas.push(takeOne(writersLike(request), client));
      return () => {
        taken -= 1;
        for (const quota of quotas) quota.close();
      };
    },
  };
}
