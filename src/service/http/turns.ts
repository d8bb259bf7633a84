import { hashSecret } from "../secrets.js";

/** The token of an `Authorization` header; null if it has none. @see RFC 6750 §2.1 */
export function parseBearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? "")?.[1] ?? null;
}

/**
 * Which requests take turns with each other: those of one user, whatever their tokens. A token that was not seen to be
 * valid, such as a guessed one, counts for its address. Used to schedule requests, never to authorize them.
 */
export interface TurnKeys {
  keyOf(address: string, authorization: string | undefined): string;
  /** Call it when a token was checked. @param userId null: it is not valid */
  note(authorization: string | undefined, userId: string | null): void;
}

/** Valid tokens whose users are remembered. */
const MAX_TOKENS = 4096;

export function createTurnKeys(): TurnKeys {
  /** Users by the hash of the token; the first one was noted longest ago. */
  const users = new Map<string, string>();
  const hashOf = (authorization: string | undefined) => {
    const token = parseBearerToken(authorization);
    return token === null ? null : hashSecret(token);
  };
  return {
    keyOf(address, authorization) {
      const user = users.get(hashOf(authorization) ?? "");
      return user === undefined ? `address ${address}` : `user ${user}`;
    },
    note(authorization, userId) {
      const hash = hashOf(authorization);
      if (hash === null) return;
      users.delete(hash);
      if (userId === null) return;
      users.set(hash, userId);
      const [oldest] = users.keys();
      if (users.size > MAX_TOKENS && oldest !== undefined) users.delete(oldest);
    },
  };
}

export interface Turns {
  /** Resolves in one of the next turns of the event loop. Each is for one request of each key. */
  next(key: string): Promise<void>;
  /** Call it for every connection that is accepted. */
  noteConnection(): void;
}

/** How many turns may wait for connections: as many as one address may open. */
const MAX_POSTPONED = 100;

/**
 * The event loop accepts one connection in each turn. Turns without work come first while there are any, so that those of
 * other clients do not wait for the work of those before them.
 */
export function createTurns(): Turns {
  const queues = new Map<string, (() => void)[]>();
  let hasAccepted = false;
  let postponed = 0;
  const take = () => {
    const isPostponed = hasAccepted && postponed < MAX_POSTPONED;
    hasAccepted = false;
    postponed = isPostponed ? postponed + 1 : 0;
    for (const [key, [next, ...rest]] of isPostponed ? [] : queues) {
      if (rest.length === 0) queues.delete(key);
      else queues.set(key, rest);
      next?.();
    }
    if (queues.size > 0) setImmediate(take);
  };
  return {
    noteConnection() {
      hasAccepted = true;
    },
    next: (key) =>
      new Promise((resolve) => {
        if (queues.size === 0) setImmediate(take);
        const queue = queues.get(key);
        if (queue === undefined) queues.set(key, [resolve]);
        else queue.push(resolve);
      }),
  };
}
