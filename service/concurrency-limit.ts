import type { Caller } from "./authentication.js";
import { createBudget } from "./budget.js";
import { refuseExceeded } from "./http/response.js";
import type { IncomingRequest } from "./request.js";

/** Requests in progress of one token or address, and in all. The limits hold for reads and for writes separately. */
const IN_PROGRESS = { perClient: 64, total: 512 };

/** Requests whose bodies are being received. Whoever has no token cannot take the room of those that have one. */
const RECEIVING = {
  authenticated: { perClient: 64, total: 512 },
  anonymous: { perClient: 16, total: 256 },
};

/** Bounds how many requests are handled at the same time. */
export function createConcurrencyLimit() {
  // Separate, since a write may wait for another process and a read does not.
  const reading = createBudget(IN_PROGRESS);
  const writing = createBudget(IN_PROGRESS);
  const authenticated = createBudget(RECEIVING.authenticated);
  const anonymous = createBudget(RECEIVING.anonymous);
  return {
    /**
     * Runs work in a place of its own. While the work waits for the body of its request, it has no place.
     * @param work gets the request with which it must read the body
     * @throws ProblemError 429 or 503 when there is no place
     */
    async run<T>(
      request: IncomingRequest,
      { access, rateLimitKey }: Caller,
      work: (request: IncomingRequest) => Promise<T>,
    ): Promise<T> {
      const reads = isRead(request);
      const place = (reads ? reading : writing).open(rateLimitKey);
      try {
        refuseExceeded(place.tryTake(1));
        const { body } = request;
        // The body of a request that reads is ignored.
        if (reads || typeof body !== "function") return await work(request);
        const receiving = (access === null ? anonymous : authenticated).open(rateLimitKey);
        const receive = async () => {
          refuseExceeded(receiving.tryTake(1));
          place.give(1);
          const received = await body().finally(receiving.close);
          refuseExceeded(place.tryTake(1));
          return received;
        };
        return await work({ ...request, body: receive });
      } finally {
        place.close();
      }
    },
  };
}

/** Whether a request cannot change anything. @see RFC 9110 §9.2.1 */
export function isRead({ method }: Pick<IncomingRequest, "method">): boolean {
  return method === "GET" || method === "HEAD";
}
