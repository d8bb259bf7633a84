import { jsonResponse, ProblemError, type ServiceResponse } from "./http/response.js";
import { splitTarget } from "./request.js";
import type { Store } from "./store/store.js";

/** What is checked. */
interface HealthState {
  readonly requireDatabase: () => Promise<void>;
  /** Whether the service is about to stop. */
  readonly isDraining: boolean;
}

/** How long an answer of the database holds (ms). */
const ANSWER_AGE = 1_000;

/**
 * Asks whether the database answers and is still the one that is there. However many ask, the question is one at a time,
 * and one each second.
 * @param clock milliseconds that only grow
 */
export function createDatabaseCheck(
  store: Store,
  clock = () => performance.now(),
): HealthState["requireDatabase"] {
  let asked = Number.NEGATIVE_INFINITY;
  let isPending = false;
  let answer = Promise.resolve();
  const ask = async () => {
    isPending = true;
    try {
      await store.requireWritable();
      await store.read((db) => db.selectFrom("settings").select("name").limit(1).execute());
    } finally {
      isPending = false;
    }
  };
  return () => {
    const now = clock();
    if (!isPending && now - asked >= ANSWER_AGE) {
      asked = now;
      answer = ask();
    }
    return answer;
  };
}

/** What the probes of an operator ask for, without a token and uncounted. */
const ENDPOINTS = {
  /** The process answers. */
  "/healthz": async () => undefined,
  /** The service goes on, and the database can be used. */
  "/readyz": async ({ requireDatabase, isDraining }: HealthState) => {
    if (isDraining) throw new ProblemError(503, { cause: new Error("the service is stopping") });
    await requireDatabase();
  },
} as const;

type HealthEndpoint = (typeof ENDPOINTS)[keyof typeof ENDPOINTS];

/** The health endpoint that a request target addresses; null for any other target. */
export function matchHealthEndpoint(target: string): HealthEndpoint | null {
  const { path } = splitTarget(target);
  return path === "/healthz" || path === "/readyz" ? ENDPOINTS[path] : null;
}

/**
 * 200 `{"status": "ok"}`.
 * @throws ProblemError 405
 * @throws what the check met
 */
export async function respondWithHealth(
  check: HealthEndpoint,
  method: string,
  state: HealthState,
): Promise<ServiceResponse> {
  if (method !== "GET" && method !== "HEAD") throw new ProblemError(405, { headers: { allow: "GET, HEAD" } });
  await check(state);
  return jsonResponse(200, { status: "ok" });
}
