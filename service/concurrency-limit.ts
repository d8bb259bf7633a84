import { createTurns } from "../src/system/clock.js";
import type { Caller } from "./authentication.js";
import { ProblemError } from "./http/response.js";
import type { IncomingRequest } from "./request.js";

/** The limit of the client, or that of all clients together. */
export type ExceededLimit = "client" | "total";

export type Limit = ReturnType<typeof createLimit>;

/** Limits what clients have at the same time: connections, requests in progress, bytes in memory. */
export function createLimit({ perClient, total }: { readonly perClient: number; readonly total: number }) {
  const taken = new Map<string, number>();
  let sum = 0;
  const add = (client: string, amount: number) => {
    sum += amount;
    const own = (taken.get(client) ?? 0) + amount;
    if (own === 0) taken.delete(client);
    else taken.set(client, own);
  };
  /** The limit that a further amount would exceed; null if there is none. A client that has nothing may exceed its own. */
  const exceeded = (client: string, amount = 1): ExceededLimit | null => {
    const own = taken.get(client) ?? 0;
    if (own > 0 && own + amount > perClient) return "client";
    return sum + amount > total ? "total" : null;
  };
  return {
    exceeded,
    /** Takes an amount, whatever the limits. A negative one is given back. */
    add,
    /** @throws ProblemError 429 or 503 if an amount would exceed a limit; then it takes nothing */
    take(client: string, amount = 1): void {
      refuse(exceeded(client, amount));
      add(client, amount);
    },
  };
}

function refuse(limit: ExceededLimit | null): void {
  if (limit === null) return;
  const retrySoon = { headers: { "retry-after": "1" } };
  if (limit === "client") throw new ProblemError(429, retrySoon);
  throw new ProblemError(503, { ...retrySoon, cause: new Error("too much is in progress for all clients") });
}

/** Requests in progress of one client, and in all. The limits hold for reads and for writes separately. */
const IN_PROGRESS = { perClient: 64, total: 512 };

/** Requests whose bodies are being received. Clients without a token cannot take the room of those that have one. */
const RECEIVING = {
  authenticated: { perClient: 64, total: 512 },
  anonymous: { perClient: 16, total: 256 },
};

/** Bounds how many requests are handled at the same time, and lets clients take turns. */
export function createConcurrencyLimit() {
  // Separate, since a write may wait for another process and a read does not.
  const reading = createLimit(IN_PROGRESS);
  const writing = createLimit(IN_PROGRESS);
  const authenticated = createLimit(RECEIVING.authenticated);
  const anonymous = createLimit(RECEIVING.anonymous);
  const runInTurn = createTurns<string>();
  /**
   * Resolves in a turn of the event loop that no other request of the client has. SQLite and JSON do their work at once, so
   * that all that one client sends would otherwise come before another one's.
   */
  const takeTurn = (client: string) => runInTurn(client, async () => undefined);
  return {
    /**
     * Runs work when it is the client's turn. While the work waits for the body of its request, it is not in progress.
     * @param work gets the request with which it must read the body
     * @throws ProblemError 429 or 503 when too many are in progress
     */
    async run<T>(
      request: IncomingRequest,
      { access, rateLimitKey }: Caller,
      work: (request: IncomingRequest) => Promise<T>,
    ): Promise<T> {
      // Many tokens of one user have no more turns than one.
      const user = access === null ? rateLimitKey : access.user.id;
      const reads = isRead(request);
      const inProgress = reads ? reading : writing;
      await takeTurn(user);
      inProgress.take(rateLimitKey);
      let taken = 1;
      try {
        const { body } = request;
        // The body of a request that reads is ignored.
        if (reads || typeof body !== "function") return await work(request);
        const receiving = access === null ? anonymous : authenticated;
        const receive = async () => {
          receiving.take(rateLimitKey);
          inProgress.add(rateLimitKey, -taken);
          taken = 0;
          const received = await body().finally(() => receiving.add(rateLimitKey, -1));
          // Parsing it takes up to 10 ms.
          await takeTurn(user);
          inProgress.take(rateLimitKey);
          taken = 1;
          return received;
        };
        return await work({ ...request, body: receive });
      } finally {
        inProgress.add(rateLimitKey, -taken);
      }
    },
  };
}

/** Whether a request cannot change anything. @see RFC 9110 §9.2.1 */
export function isRead({ method }: Pick<IncomingRequest, "method">): boolean {
  return method === "GET" || method === "HEAD";
}
