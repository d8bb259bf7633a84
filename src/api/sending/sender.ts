import { CliError } from "../../errors.js";
import type { Clock } from "../../system/clock.js";
import {
  type HttpRequest,
  type HttpResponse,
  isSuccess,
  type Transport,
  TransportError,
  withRedirects,
} from "../transport.js";
import {
  clockOffset,
  type OnWait,
  type RateLimiter,
  type RateLimitReached,
  type RequestTimes,
  readRetryAfter,
} from "./rate-limit.js";
import {
  afterInterruptedCreate,
  afterUncertainAttempt,
  afterUncertainCreate,
  interruptedWrite,
  mayHaveSucceeded,
  mayRetry,
  outcomeUnknown,
  type RetryPolicy,
  retryDelay,
  type UnknownOutcome,
} from "./retry.js";

export interface SenderOptions {
  readonly transport: Transport;
  readonly policy: RetryPolicy;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly onWait: OnWait;
  readonly signal: AbortSignal;
  /** Called with every response, whatever its status. */
  readonly onResponse: (response: HttpResponse, times: RequestTimes) => void;
}

/** How the final failure of a request becomes an error. Every kind of service has its own. */
export interface RequestErrors extends UnknownOutcome {
  /** For a response that is not a success. @param attempts how often the request was sent */
  fromResponse(response: HttpResponse, attempts: number): CliError;
  /** For a request without a complete response. */
  fromTransport(error: TransportError, attempts: number): CliError;
  /** For a rate limit that requires a longer wait than the command allows. */
  fromRateLimit(limit: RateLimitReached): CliError;
}

export interface OutgoingRequest<T> {
  readonly request: Omit<HttpRequest, "signal">;
  /** How notes on retries name the request, such as `GET /calendars`. */
  readonly name: string;
  readonly errors: RequestErrors;
  /** Reads a success. @throws TransportError when it is incomplete, which counts as no response */
  readonly read: (response: HttpResponse) => Promise<T>;
  /** Whether the service recognizes a repetition of this POST by its key; asked once it may have succeeded. */
  readonly isKeyKept?: (() => Promise<boolean>) | undefined;
  /** The result of a DELETE that finds nothing (404, 410) after an earlier attempt of it may have succeeded. */
  readonly ifGone?: T;
  /**
   * Called before a write is repeated whose earlier attempt may have succeeded. Resolves with its result if it
   * did, with null to repeat it. @throws CliError when that is unknown
   */
  readonly beforeRepeat?: () => Promise<T | null>;
}

/**
 * Sends a request, retries it where that is safe, and waits for the rate limit.
 * @throws CliError with the exit codes of docs/exit-codes.md
 */
export type Send = <T>(outgoing: OutgoingRequest<T>) => Promise<T>;

export function createSender(options: SenderOptions): Send {
  const transport = withRedirects(options.transport);
  return (outgoing) => sendWithRetries(outgoing, { ...options, transport });
}

async function sendWithRetries<T>(outgoing: OutgoingRequest<T>, options: SenderOptions): Promise<T> {
  const { name, errors, request } = outgoing;
  const { limiter, clock, signal, policy, onWait } = options;
  let retries = 0;
  /** Whether an earlier attempt of a write may have succeeded. */
  let uncertain = false;
  let refusal: HttpResponse | null = null;
  const orInterrupted = async <R>(step: Promise<R>): Promise<R> => {
    try {
      return await step;
    } catch (error) {
      const failure = uncertain ? interruptedWrite(request.method, error) : error;
      throw errors.givenKey === undefined ? failure : afterInterruptedCreate(failure);
    }
  };
  const finalError = (error: CliError): CliError => {
    if (!uncertain) return error;
    return request.method === "POST" ? afterUncertainCreate(error, errors) : afterUncertainAttempt(error);
  };
  for (;;) {
    const wait = await orInterrupted(limiter.acquire(signal));
    if (wait !== null) throw finalError(errors.fromRateLimit({ wait, waited: limiter.waited(), refusal }));
    const send: typeof attempt<T> = uncertain ? repeat : attempt;
    const result = await orInterrupted(send(outgoing, options));
    if (result.kind === "success") return result.value;
    if (hasStatus(result, 429)) {
      refusal = result.response;
      continue;
    }
    const delay = await orInterrupted(decideDelay(result, outgoing, { policy, clock, retries }));
    if (delay === null) throw finalError(errorOf(result, outgoing, retries + 1));
    uncertain ||= request.method !== "GET" && mayHaveSucceeded(result);
    retries += 1;
    const reason = reasonOf(result);
    onWait({ kind: "retry", request: name, reason, delay, retry: retries, retries: policy.retries });
    await orInterrupted(clock.sleep(delay, signal));
  }
}

type AttemptResult<T> =
  | { readonly kind: "success"; readonly value: T }
  | { readonly kind: "status"; readonly response: HttpResponse; readonly times: RequestTimes }
  | { readonly kind: "no_response"; readonly error: TransportError };

type FailedResult = Exclude<AttemptResult<never>, { readonly kind: "success" }>;

async function attempt<T>(
  { request, read }: OutgoingRequest<T>,
  { transport, clock, signal, limiter, onResponse }: SenderOptions,
): Promise<AttemptResult<T>> {
  const sentAt = clock.now();
  try {
    const response = await transport({ signal, ...request });
    const times = { sentAt, receivedAt: clock.now() };
    onResponse(response, times);
    await limiter.observe(response, times);
    if (!isSuccess(response)) return { kind: "status", response, times };
    return { kind: "success", value: await read(response) };
  } catch (error) {
    if (error instanceof TransportError) return { kind: "no_response", error };
    throw error;
  }
}

/** Repeats a write whose earlier attempt may have succeeded, unless it did. */
async function repeat<T>(outgoing: OutgoingRequest<T>, options: SenderOptions): Promise<AttemptResult<T>> {
  const { beforeRepeat, ifGone } = outgoing;
  const earlier = await beforeRepeat?.().catch((error: unknown) => {
    throw error instanceof CliError ? afterUncertainAttempt(error) : error;
  });
  if (earlier !== null && earlier !== undefined) return { kind: "success", value: earlier };
  const result = await attempt(outgoing, options);
  if (result.kind === "success" || !isGone(result) || ifGone === undefined) return result;
  return { kind: "success", value: ifGone };
}

/** How messages describe a response by its status. */
export function describeStatus(status: number): string {
  return `the service returned ${status}`;
}

function reasonOf(failed: FailedResult): string {
  return failed.kind === "status" ? describeStatus(failed.response.status) : failed.error.message;
}

/** @see RFC 9110 §15.5.5, §15.5.11 */
function isGone(failed: FailedResult): boolean {
  return hasStatus(failed, 404) || hasStatus(failed, 410);
}

function hasStatus(
  failed: FailedResult,
  status: number,
): failed is FailedResult & { readonly kind: "status" } {
  return failed.kind === "status" && failed.response.status === status;
}

/** The delay that a response asks for, in milliseconds; null if it does not. */
function retryAfterOf(failed: FailedResult): number | null {
  if (failed.kind === "no_response") return null;
  const { response, times } = failed;
  return readRetryAfter(response.headers, times.receivedAt + clockOffset(response.headers, times));
}

/** Milliseconds until the next attempt; null if there is none. */
async function decideDelay(
  failed: FailedResult,
  outgoing: OutgoingRequest<unknown>,
  { policy, clock, retries }: Pick<SenderOptions, "policy" | "clock"> & { readonly retries: number },
): Promise<number | null> {
  if (retries >= policy.retries || !(await maySendAgain(failed, outgoing))) return null;
  return retryDelay(retries, policy, { retryAfter: retryAfterOf(failed), random: clock.random() });
}

async function maySendAgain(
  failed: FailedResult,
  { request: { method }, isKeyKept }: OutgoingRequest<unknown>,
): Promise<boolean> {
  if (mayRetry(method, failed)) return true;
  if (isKeyKept === undefined || !mayRetry(method, failed, true)) return false;
  return isKeyKept().catch((error: unknown) => {
    throw interruptedWrite(method, error);
  });
}

function errorOf(
  failed: FailedResult,
  { request, errors }: OutgoingRequest<unknown>,
  attempts: number,
): CliError {
  const error =
    failed.kind === "status"
      ? errors.fromResponse(failed.response, attempts)
      : errors.fromTransport(failed.error, attempts);
  const isUncertain = request.method === "POST" && mayHaveSucceeded(failed);
  return isUncertain ? outcomeUnknown(error, errors) : error;
}
