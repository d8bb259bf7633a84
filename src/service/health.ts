import { jsonResponse, ProblemError, type ServiceResponse } from "./http/response.js";
import { splitTarget } from "./request.js";
import type { Store } from "./store/store.js";

/** What is checked. */
interface HealthState {
  readonly store: Store;
  /** Whether the service is about to stop. */
  readonly isDraining: boolean;
}

/** What the probes of an operator ask for, without a token and uncounted. */
const ENDPOINTS = {
  /** The process answers. */
  "/healthz": async () => undefined,
  /** The service goes on, and the database answers and is still the one that is there. */
  "/readyz": async ({ store, isDraining }: HealthState) => {
    if (isDraining) throw new ProblemError(503, { cause: new Error("the service is stopping") });
    await store.requireWritable();
    await store.read((db) => db.selectFrom("settings").select("name").limit(1).execute());
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
