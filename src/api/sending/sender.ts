import type { CliError } from "../../errors.js";
import type { Clock } from "../../system/clock.js";
import {
  type HttpRequest,
  type HttpResponse,
  interruptedWrite,
  type Transport,
  TransportError,
} from "../transport.js";
import type { Call } from "./call.js";
import { answeredWith, errorFromAnswer, errorFromTransport, rateLimited, refusedInDoubt } from "./errors.js";
import { clockOffset, type Exchanged, readRetryAfter } from "./rate-limit.js";
import type { OnPause, RateLimiter } from "./rate-limiter.js";
import { withRedirects } from "./redirects.js";
import { leavesDoubt, mayRepeat, pauseBefore, type RetryPolicy, type Trouble } from "./retry.js";

export interface SenderOptions {
  readonly transport: Transport;
  readonly policy: RetryPolicy;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly onPause: OnPause;
  readonly signal: AbortSignal;
  /** Told of every answer, whatever its status. */
  readonly onAnswer: (response: HttpResponse) => void;
}

/** A request and what its answer is to be. */
export interface Sending<T> {
  readonly call: Call;
  readonly request: Omit<HttpRequest, "method" | "signal">;
  /** Reads a success. @throws TransportError when it is not whole: that counts as no answer */
  readonly read: (response: HttpResponse) => Promise<T>;
  /** What a DELETE gives that finds done what an earlier attempt of it may have done. */
  readonly alreadyGone?: T;
}

/**
 * Sends one request until it is answered: repeats what may be repeated, and waits for the rate limit.
 * @throws CliError with the exit codes of docs/exit-codes.md
 */
export type Send = <T>(sending: Sending<T>) => Promise<T>;

export function createSender(options: SenderOptions): Send {
  const transport = withRedirects(options.transport);
  return (sending) => sendUntilAnswered(sending, { ...options, transport });
}

async function sendUntilAnswered<T>(sending: Sending<T>, options: SenderOptions): Promise<T> {
  const { call } = sending;
  let repeats = 0;
  /** Whether an earlier attempt may have been done. A read leaves nothing to doubt. */
  let doubt = false;
  let refusal: HttpResponse | null = null;
  const orInterrupted = async <R>(step: Promise<R>): Promise<R> => {
    try {
      return await step;
    } catch (error) {
      throw doubt ? interruptedWrite(call.method, error) : error;
    }
  };
  const fail = (error: CliError): CliError => (doubt ? refusedInDoubt(call, error) : error);
  for (;;) {
    const stillToWait = await orInterrupted(options.limiter.acquire(options.signal));
    if (stillToWait !== null) {
      throw fail(rateLimited(call, { wait: stillToWait, waited: options.limiter.waited(), refusal }));
    }
    const outcome = await orInterrupted(attempt(sending, options));
    if (outcome.kind === "done") return outcome.value;
    if (hasStatus(outcome, 429)) {
      refusal = outcome.response;
      continue;
    }
    if (doubt && isGone(outcome) && sending.alreadyGone !== undefined) return sending.alreadyGone;
    const trouble = troubleOf(outcome);
    const delay = decidePause(call, trouble, { repeats, asked: askedPause(outcome), options });
    if (delay === null) throw fail(errorOf(call, outcome, repeats + 1));
    doubt ||= call.method !== "GET" && leavesDoubt(trouble);
    repeats += 1;
    options.onPause({
      kind: "repeat",
      ...describeRepeat(call, outcome),
      delay,
      repeat: repeats,
      repeats: options.policy.retries,
    });
    await orInterrupted(options.clock.sleep(delay, options.signal));
  }
}

type Outcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "status"; readonly response: HttpResponse; readonly exchanged: Exchanged }
  | { readonly kind: "no_answer"; readonly error: TransportError };

type Failed = Exclude<Outcome<never>, { readonly kind: "done" }>;

async function attempt<T>(
  { call, request, read }: Sending<T>,
  { transport, clock, signal, limiter, onAnswer }: SenderOptions,
): Promise<Outcome<T>> {
  const sentAt = clock.now();
  try {
    const response = await transport({ ...request, method: call.method, signal });
    const exchanged = { sentAt, receivedAt: clock.now() };
    onAnswer(response);
    await limiter.observe(response, exchanged);
    if (response.status < 200 || response.status > 299) return { kind: "status", response, exchanged };
    return { kind: "done", value: await read(response) };
  } catch (error) {
    if (error instanceof TransportError) return { kind: "no_answer", error };
    throw error;
  }
}

function describeRepeat({ method, path }: Call, outcome: Failed) {
  const reason = outcome.kind === "status" ? answeredWith(outcome.response.status) : outcome.error.message;
  return { request: `${method} ${path}`, reason };
}

/** @see RFC 9110 §15.5.5, §15.5.11 */
function isGone(outcome: Failed): boolean {
  return hasStatus(outcome, 404) || hasStatus(outcome, 410);
}

function hasStatus(outcome: Failed, status: number): outcome is Failed & { readonly kind: "status" } {
  return outcome.kind === "status" && outcome.response.status === status;
}

function troubleOf(outcome: Failed): Trouble {
  if (outcome.kind === "status") return { kind: "status", status: outcome.response.status };
  const { fault, sent } = outcome.error;
  return { kind: "no_answer", fault, sent };
}

/** The pause that an answer asks for, in milliseconds; null when it asks for none. */
function askedPause(outcome: Failed): number | null {
  if (outcome.kind === "no_answer") return null;
  const { response, exchanged } = outcome;
  return readRetryAfter(response.headers, exchanged.receivedAt + clockOffset(response.headers, exchanged));
}

interface Repeating {
  readonly repeats: number;
  readonly asked: number | null;
  readonly options: SenderOptions;
}

/** Milliseconds until the next attempt; null when there is none. */
function decidePause(
  { method }: Call,
  trouble: Trouble,
  { repeats, asked, options: { policy, clock } }: Repeating,
): number | null {
  if (!mayRepeat(method, trouble) || repeats >= policy.retries) return null;
  return pauseBefore(repeats, policy, { asked, random: clock.random() });
}

function errorOf(call: Call, outcome: Failed, attempts: number): CliError {
  return outcome.kind === "status"
    ? errorFromAnswer(call, outcome.response, attempts)
    : errorFromTransport(call, outcome.error, attempts);
}
