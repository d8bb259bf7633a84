import { CliError, type CliErrorOptions, type ErrorCode, restate } from "../../errors.js";
import type { HttpResponse, TransportError } from "../transport.js";
import { answerOptions, type Call, requestOf, WRONG_BASE_URL } from "./call.js";
import { readRetryAfter, readServerTime, saysWhen } from "./rate-limit.js";
import { isRedirect, redirectTarget } from "./redirects.js";

/**
 * Turns an answer that is no success into the error of its status.
 * @param attempts how often the request was sent
 * @see contract section 7
 */
export function errorFromAnswer(call: Call, response: HttpResponse, attempts: number): CliError {
  const { status } = response;
  const options = answerOptions(call, response);
  switch (status) {
    case 401:
      return new CliError("not_signed_in", refusedToken(call), { ...options, hint: tokenHint(call) });
    case 403:
      return new CliError("forbidden", `${call.subject}: the token's owner may not do this`, options);
    case 404:
      return new CliError("not_found", `not found: ${call.notFound ?? call.subject}`, {
        ...options,
        // What every service of the contract has.
        ...(ROOTS.has(call.path) ? { hint: WRONG_BASE_URL } : {}),
      });
    case 406:
      return new CliError(
        "rejected",
        `${call.subject}: the service does not answer in ${call.mediaType} (406)`,
        {
          ...options,
          hint: "set the media type that it has: calctl config set media_type application/vnd.NAME.v1+json",
        },
      );
    default:
      if (status >= 500) return serverError(call, response, attempts);
      if (status < 400) return redirected(call, response);
      return new CliError(
        "rejected",
        `${call.subject}: the service refused the request (${status})`,
        options,
      );
  }
}

function refusedToken({ tokenSource }: Call): string {
  const source = tokenSource === undefined ? "" : ` (from ${tokenSource})`;
  return `not signed in: the service refused the token${source}`;
}

function tokenHint({ tokenSource }: Call): string {
  return tokenSource === undefined || tokenSource === "keychain" || tokenSource === "file"
    ? "sign in again: calctl login"
    : "put a valid token there, or unset it to use the one of calctl login";
}

const ROOTS: ReadonlySet<string> = new Set(["/user", "/calendars"]);

/** How messages say that an answer had a status. */
export function answeredWith(status: number): string {
  return `the service answered ${status}`;
}

function serverError(call: Call, response: HttpResponse, attempts: number): CliError {
  const options = answerOptions(call, response);
  const reason = `${answeredWith(response.status)}${times(attempts)}`;
  if (call.method === "POST") return outcomeUnknown(call, reason, options);
  return new CliError("unavailable", `${call.subject}: ${reason}`, {
    ...options,
    hint: askedToWait(response) ?? TRY_AGAIN,
  });
}

function times(attempts: number): string {
  return attempts > 1 ? ` (${attempts} attempts)` : "";
}

/** A write that may or may not have been done (exit 9). */
export function outcomeUnknown(call: Call, reason: string, options: CliErrorOptions = {}): CliError {
  return new CliError("outcome_unknown", `${call.subject}: ${reason}; it may have been done all the same`, {
    ...requestOf(call),
    hint: call.lookAt ?? "look before you repeat it",
    ...options,
  });
}

/** Turns the lack of a whole answer into an error: a POST that may have arrived is not safe to repeat. */
export function errorFromTransport(call: Call, error: TransportError, attempts: number): CliError {
  const found = { ...requestOf(call), cause: error };
  if (call.method === "POST" && error.sent !== "no") return outcomeUnknown(call, error.message, found);
  const options = { ...found, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  const message = `${call.subject}: ${error.message}${times(attempts)}`;
  switch (error.fault) {
    case "tls":
    case "proxy":
      return new CliError("configuration", message, options);
    case "too_large":
    case "not_http":
      return new CliError("rejected", message, { hint: WRONG_BASE_URL, ...options });
    default:
      return new CliError("unavailable", message, { hint: TRY_AGAIN, ...options });
  }
}

const TRY_AGAIN = "try again later; repeating this is safe";

/** A whole answer of success that is not the contract's: a write may have been done. */
export function unreadableAnswer(
  call: Call,
  status: number,
  fault: { readonly reason: string; readonly cause?: unknown },
): CliError {
  const options = { ...requestOf(call), status, cause: fault.cause };
  if (call.method === "POST") return outcomeUnknown(call, fault.reason, options);
  const message = `${call.subject}: ${fault.reason}`;
  if (call.method === "GET") return new CliError("rejected", message, { ...options, hint: WRONG_BASE_URL });
  return new CliError("rejected", `${message}; it may have been done all the same`, {
    ...options,
    hint: "look whether it was done; repeating this is safe",
  });
}

/** Failures that say nothing of an earlier attempt: the same write may have been done before they came. */
const SILENT_ON_EARLIER: ReadonlySet<ErrorCode> = new Set([
  "not_signed_in",
  "forbidden",
  "rate_limited",
  "configuration",
]);

/**
 * The last failure of a PUT or DELETE of which an earlier attempt may have been done: exit 8 where its own code would
 * claim that nothing was. (5 is true either way, 8 and 11 leave it open.)
 */
export function refusedInDoubt(call: Call, error: CliError): CliError {
  if (SILENT_ON_EARLIER.has(error.code)) {
    const subject = `${call.subject}: `;
    const then = error.message.startsWith(subject) ? error.message.slice(subject.length) : error.message;
    return restate(error, "unavailable", `${subject}it may have been done, but then: ${then}`);
  }
  if (error.code !== "rejected") return error;
  return restate(error, error.code, `${error.message}; an earlier attempt may have been done`);
}

/** A redirect that is not followed. */
export function redirected(call: Call, response: HttpResponse): CliError {
  const { status, headers } = response;
  const target = redirectTarget(headers["location"], call.url);
  const fault = (what: string, hint: string) =>
    new CliError("rejected", `${call.subject}: the service ${what} (${status})`, {
      ...requestOf(call),
      status,
      hint,
    });
  if (!isRedirect(status)) return fault("answers with a status that is no answer", WRONG_BASE_URL);
  if (target === null) return fault("redirects without saying where", WRONG_BASE_URL);
  if (target.origin !== new URL(call.url).origin) {
    const origin = target.origin === "null" ? target.protocol : target.origin;
    const hint = `the token is sent to ${new URL(call.url).origin} alone; if the service has moved, set base_url anew`;
    return fault(`redirects to ${origin}`, hint);
  }
  if (call.method !== "GET") {
    return fault(
      `redirects a ${call.method} to ${target.pathname}`,
      "is the base URL right? a write is not sent again",
    );
  }
  return fault(`redirects in circles, last to ${target.pathname}`, WRONG_BASE_URL);
}

export interface RateLimitReached {
  /** Milliseconds still to wait. */
  readonly wait: number;
  /** Milliseconds that the command has waited before: they count against `--max-wait` as well. */
  readonly waited: number;
  /** The 429; null when an earlier answer said that nothing is left, and nothing was sent. */
  readonly refusal: HttpResponse | null;
}

/** The rate limit is used up for longer than the command may wait. */
export function rateLimited(call: Call, reached: RateLimitReached): CliError {
  const { refusal } = reached;
  const options = {
    ...(refusal === null ? requestOf(call) : answerOptions(call, refusal)),
    hint: waitHint(reached),
  };
  const spent = "the service's rate limit is used up";
  return new CliError(
    "rate_limited",
    refusal === null ? `${spent}, as an earlier answer said` : spent,
    options,
  );
}

/** The hint of an answer that says when to come back; undefined when it does not. */
export function askedToWait({ headers }: HttpResponse): string | undefined {
  const wait = readRetryAfter(headers, readServerTime(headers));
  if (wait === null || wait === 0) return undefined;
  return tooLong(wait) ?? `try again in ${inSeconds(wait)}, as the service asks; repeating this is safe`;
}

const DAY = 86_400_000;

/** What is said instead of a wait that no service means; undefined for one that it may. */
function tooLong(wait: number): string | undefined {
  if (wait <= DAY) return undefined;
  return `the service asks to wait ${Math.ceil(wait / DAY)} days, which may be a mistake of it`;
}

function inSeconds(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

function waitHint({ wait, waited, refusal }: RateLimitReached): string {
  if (refusal !== null && !saysWhen(refusal.headers)) return "try again later: the service does not say when";
  const maxWait = Math.ceil((waited + wait) / 1000);
  return tooLong(wait) ?? `try again in ${inSeconds(wait)}, or let it wait with --max-wait ${maxWait}`;
}
