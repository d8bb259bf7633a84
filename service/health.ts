import { jsonResponse, ProblemError, type ServiceResponse } from "./http/response.js";
import { splitTarget } from "./request.js";
import type { Store } from "./store/store.js";

/** How long a check of the database holds (ms). */
const MAX_AGE = 1_000;

/**
 * Asks whether the database answers and is still the one that is there. However many ask, the question is one at a time,
 * and one each second.
 * @param clock milliseconds that only grow
 */
function createDatabaseCheck(store: Store, clock: () => number): () => Promise<void> {
  const ask = async () => {
    await store.requireWritable();
    await store.read((db) => db.all("select name from settings limit 1"));
  };
  let check = Promise.resolve();
  let answered = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock() - answered >= MAX_AGE) {
      // No other question until this one is answered.
      answered = Number.POSITIVE_INFINITY;
      check = ask().finally(() => {
        answered = clock();
      });
    }
    return check;
  };
}

/** What the probes of an operator ask for: whether the process answers, and whether the service and its database do. */
const HEALTH_PATHS = ["/healthz", "/readyz"] as const;

/** The path of the health endpoint that a request target addresses; null for any other target. */
export function matchHealthEndpoint(target: string): (typeof HEALTH_PATHS)[number] | null {
  const { path } = splitTarget(target);
  return HEALTH_PATHS.find((known) => known === path) ?? null;
}

export interface HealthOptions {
  readonly store: Store;
  /** Milliseconds that only grow, by which an answer of the database to `/readyz` holds; `performance.now()` by default. */
  readonly clock?: (() => number) | undefined;
}

/**
 * The health endpoints, without a token and uncounted: 200 `{"status": "ok"}`.
 * @throws ProblemError 405
 * @throws what the database met
 */
export function createHealthEndpoints({ store, clock = () => performance.now() }: HealthOptions) {
  const requireDatabase = createDatabaseCheck(store, clock);
  return async (path: ReturnType<typeof matchHealthEndpoint>, method: string): Promise<ServiceResponse> => {
    if (method !== "GET" && method !== "HEAD")
      throw new ProblemError(405, { headers: { allow: "GET, HEAD" } });
    if (path === "/readyz") await requireDatabase();
    return jsonResponse(200, { status: "ok" });
  };
}
