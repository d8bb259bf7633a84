import { createFairQueue } from "../fair-queue.js";
import { createLruCache } from "../lru-cache.js";

/** Valid tokens whose users are cached. */
const MAX_TOKENS = 4096;

/**
 * By which key requests are scheduled: those of one user share it, whatever their tokens. A token that was not seen to be
 * valid, such as a guessed one, counts for its address. Never used to authorize a request.
 */
export function createSchedulingKeys() {
  /** Users by the hash of the token. */
  const users = createLruCache<string>(MAX_TOKENS);
  return {
    /** @param token hash of the token; null for none */
    keyOf(address: string, token: string | null): string {
      const user = users.get(token ?? "");
      return user === undefined ? `address ${address}` : `user ${user}`;
    },
    /** Call it when a token was checked. @param userId null: it is not valid */
    note(token: string | null, userId: string | null): void {
      if (token === null || users.get(token) === userId) return;
      if (userId === null) users.delete(token);
      else users.set(token, userId);
    },
  };
}

/** How long work waits for connections that are being accepted (ms). */
const MAX_POSTPONEMENT = 10;

/**
 * How long a turn goes on once each key has had one request (ms). Small requests take half the time if several are answered
 * before the sockets are read again; a large one is never followed by another of the same key.
 */
const TURN_LENGTH = 0.25;

/** How long a turn goes on while there are keys that have had none (ms). */
const MAX_TURN = 10;

/**
 * Schedules work on the event loop, which accepts one connection in each turn. Turns without work come first while there are
 * any, so that those of other clients do not wait for the work of those before them.
 * @param clock milliseconds that only grow
 */
export function createScheduler(clock: () => number = () => performance.now()) {
  const waiting = createFairQueue<() => Promise<unknown>>();
  let hasAccepted = false;
  /** When work was first postponed, by the clock; null when none is. */
  let postponedSince: number | null = null;
  let isScheduled = false;
  let end = 0;
  const schedule = () => {
    if (isScheduled || waiting.clients() === 0) return;
    isScheduled = true;
    setImmediate(take);
  };
  const runNext = () => {
    const goOn = () => {
      if (clock() < end) runNext();
    };
    void waiting.take()?.().then(goOn, goOn);
  };
  const take = () => {
    isScheduled = false;
    const now = clock();
    const isPostponed = hasAccepted && now - (postponedSince ?? now) < MAX_POSTPONEMENT;
    hasAccepted = false;
    postponedSince = isPostponed ? (postponedSince ?? now) : null;
    if (!isPostponed) {
      end = now + TURN_LENGTH;
      for (let left = waiting.clients(); left > 0 && clock() - now < MAX_TURN; left -= 1) runNext();
    }
    schedule();
  };
  return {
    /** Call it for every connection that is accepted. */
    noteConnection(): void {
      hasAccepted = true;
    },
    /** Runs work in one of the next turns of the event loop; one of each key after the other. Settles like the work. */
    run: <T>(key: string, work: () => Promise<T>): Promise<T> =>
      new Promise((resolve) => {
        waiting.add(key, () => {
          const done = work();
          resolve(done);
          return done;
        });
        schedule();
      }),
  };
}
