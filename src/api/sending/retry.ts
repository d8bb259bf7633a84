import { CliError, type ErrorCode, isOutcomeUnknown, wrapError } from "../../errors.js";
import type { FailureKind, HttpRequest, HttpResponse, TransportError } from "../transport.js";

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
 * Whether the same request may be sent again: only after temporary failures, and a POST only if it certainly did not arrive
 * or the service recognizes it by its key. (429 is refused before anything is done, and waits for the rate limit instead.)
 * @param isKeyKept whether the service recognizes a POST by its key; 409 then means that the same one is under way
 * @see RFC 9110 §9.2.2
 */
export function mayRetry(method: HttpRequest["method"], failure: AttemptFailure, isKeyKept = false): boolean {
  const isIdempotent = method !== "POST" || isKeyKept;
  if (failure.kind === "status") {
    const { status } = failure.response;
    return isIdempotent && (TEMPORARY_STATUSES.has(status) || (isKeyKept && status === 409));
  }
  return TEMPORARY_KINDS.has(failure.error.kind) && (isIdempotent || failure.error.sent === "no");
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

/** Part of the message when a write may have succeeded although it failed here. */
export const MAY_HAVE_SUCCEEDED = "the write may have succeeded";

/** What the user can do about a POST whose outcome is unknown. */
export interface UnknownOutcome {
  /** What to check before it is repeated. */
  readonly checkHint?: string | undefined;
  /** The key that the user gave it, under which the same command may be repeated. */
  readonly givenKey?: string | undefined;
}

/** The failure of a POST that may have succeeded: exit 9, or exit 8 where the same command is safe to repeat. */
export function outcomeUnknown(
  error: CliError,
  { checkHint = "check before you repeat it", givenKey }: UnknownOutcome = {},
): CliError {
  const [code, hint] =
    givenKey === undefined
      ? (["outcome_unknown", checkHint] as const)
      : (["unavailable", REPEAT_WITH_KEY] as const);
  return wrapError(error, code, `${error.message}; ${MAY_HAVE_SUCCEEDED}`, { hint, mayHaveSucceeded: true });
}

const REPEAT_WITH_KEY = "repeat the same command: its key creates nothing twice";

/** Codes that say that nothing was written, which is wrong if an earlier attempt succeeded. */
const NOTHING_WRITTEN: ReadonlySet<ErrorCode> = new Set([
  "not_signed_in",
  "forbidden",
  "rate_limited",
  "configuration",
]);

/**
 * The last failure of a PUT or DELETE when an earlier attempt may have succeeded: exit 8 if its own code would say that
 * nothing was written. (5 is true either way; 8 and 11 leave it open.)
 */
export function afterUncertainAttempt(error: CliError): CliError {
  const isDenied = NOTHING_WRITTEN.has(error.code);
  if (!isDenied && error.code !== "rejected") return error;
  const message = `${error.message}; an earlier attempt may have succeeded`;
  return wrapError(error, isDenied ? "unavailable" : error.code, message);
}

/**
 * The last failure of a POST with a key when an earlier attempt may have succeeded: unknown, unless the service refused its
 * content. (409: an earlier attempt is still under way.)
 */
export function afterUncertainCreate(error: CliError, outcome: UnknownOutcome): CliError {
  const isOpen = error.code === "unavailable" || error.status === 409 || NOTHING_WRITTEN.has(error.code);
  return isOpen && !isOutcomeUnknown(error) ? outcomeUnknown(error, outcome) : error;
}

/** What ended a POST with a given key: an interruption that it may have outrun says to repeat it instead of checking. */
export function afterInterruptedCreate(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== "interrupted" || !error.mayHaveSucceeded) return error;
  return wrapError(error, error.code, error.message, {
    hint: `a POST was in progress and may have succeeded; ${REPEAT_WITH_KEY}`,
  });
}

/** The signal's reason; if it interrupts a write that may have arrived, with a warning that it may have succeeded. */
export function interruptedWrite(method: HttpRequest["method"], reason: unknown): unknown {
  if (method === "GET" || !(reason instanceof CliError)) return reason;
  if (reason.code !== "interrupted" || reason.hint !== undefined) return reason;
  return new CliError(reason.code, reason.message, {
    exitCode: reason.exitCode,
    mayHaveSucceeded: true,
    hint: `a ${method} was in progress and may have succeeded; check before you repeat it`,
    cause: reason,
  });
}
