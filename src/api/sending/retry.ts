import type { HttpMethod } from "../../contract/routes.js";
import type { Fault, Sent } from "../transport.js";

/** When and how often an attempt is repeated. Waits for a rate limit are another matter. */
export interface RetryPolicy {
  /** Further attempts after the first. */
  readonly retries: number;
  /** Upper bound of the first pause in milliseconds; it doubles from pause to pause. */
  readonly baseDelay: number;
  /** Longest pause in milliseconds. */
  readonly maxDelay: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 3, baseDelay: 500, maxDelay: 20_000 };

/** What went wrong in one attempt: there is no whole answer, or one that is no success. */
export type Trouble =
  | { readonly kind: "no_answer"; readonly fault: Fault; readonly sent: Sent }
  | { readonly kind: "status"; readonly status: number };

const PASSING_FAULTS: ReadonlySet<Fault> = new Set(["unreachable", "timeout", "closed", "cut_short"]);
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

/**
 * Whether the same request may be sent again. What is no matter of the moment never is. A POST is only when it surely
 * never arrived: the contract knows no way to recognise a second one. (429 is refused before it is done and waits for
 * the rate limit instead.)
 * @see RFC 9110 §9.2.2
 */
export function mayRepeat(method: HttpMethod, trouble: Trouble): boolean {
  if (trouble.kind === "status") return method !== "POST" && PASSING_STATUSES.has(trouble.status);
  if (!PASSING_FAULTS.has(trouble.fault)) return false;
  return method !== "POST" || trouble.sent === "no";
}

/** Whether the request may have been done all the same. */
export function leavesDoubt(trouble: Trouble): boolean {
  return trouble.kind === "status" ? trouble.status >= 500 : trouble.sent !== "no";
}

/**
 * The pause before a repeat, in milliseconds: full jitter, so that many clients do not come back at once, but no
 * shorter than the service asks for. Null when it asks for more than the policy waits.
 * @param repeat counts from 0
 * @param asked milliseconds; null when the service does not say
 * @param random from 0 up to 1
 */
export function pauseBefore(
  repeat: number,
  { baseDelay, maxDelay }: RetryPolicy,
  { asked, random }: { readonly asked: number | null; readonly random: number },
): number | null {
  if (asked !== null && asked > maxDelay) return null;
  const jitter = Math.floor(random * Math.min(maxDelay, baseDelay * 2 ** repeat));
  return Math.max(jitter, asked ?? 0);
}
