import type { HttpMethod } from "../../../contract/routes.js";
import type { FailureKind, HttpResponse, TransportError } from "../transport.js";

/** How often and when a failed attempt is repeated. Waits for a rate limit are separate. */
export interface RetryPolicy {
  /** Attempts after the first one. */
  readonly retries: number;
  /** Upper bound of the first delay in milliseconds; it doubles with each retry. */
  readonly baseDelay: number;
  /** Longest delay in milliseconds. */
  readonly maxDelay: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 3, baseDelay: 500, maxDelay: 20_000 };

/** Why an attempt failed: there is no complete response, or one that is not a success. */
export type AttemptFailure =
  | { readonly kind: "no_response"; readonly error: Pick<TransportError, "kind" | "sent"> }
  | { readonly kind: "status"; readonly response: Pick<HttpResponse, "status"> };

const TEMPORARY_KINDS: ReadonlySet<FailureKind> = new Set(["unreachable", "timeout", "closed", "cut_short"]);
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

/**
 * Whether the same request may be sent again: only after temporary failures, and a POST only if it certainly did not
 * arrive, because the service cannot recognize a duplicate. (429 is refused before anything is done, and waits for the
 * rate limit instead.)
 * @see RFC 9110 §9.2.2
 */
export function mayRetry(method: HttpMethod, failure: AttemptFailure): boolean {
  if (failure.kind === "status") return method !== "POST" && TEMPORARY_STATUSES.has(failure.response.status);
  if (!TEMPORARY_KINDS.has(failure.error.kind)) return false;
  return method !== "POST" || failure.error.sent === "no";
}

/** Whether the service may have carried out the request although the attempt failed. */
export function mayHaveSucceeded(failure: AttemptFailure): boolean {
  return failure.kind === "status" ? failure.response.status >= 500 : failure.error.sent !== "no";
}

/**
 * The delay before a retry in milliseconds: full jitter, so that many clients do not return at once, but at least as
 * long as the service asks for. Null when it asks for more than the policy allows.
 * @param retry counts from 0
 * @param retryAfter in milliseconds; null when the service does not ask for a delay
 * @param random from 0 up to 1
 */
export function retryDelay(
  retry: number,
  { baseDelay, maxDelay }: RetryPolicy,
  { retryAfter, random }: { readonly retryAfter: number | null; readonly random: number },
): number | null {
  if (retryAfter !== null && retryAfter > maxDelay) return null;
  const jitter = Math.floor(random * Math.min(maxDelay, baseDelay * 2 ** retry));
  return Math.max(jitter, retryAfter ?? 0);
}
