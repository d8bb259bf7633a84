import { CliError, type CliErrorOptions, type ErrorCode, restate } from "../../errors.js";
import type { HttpResponse, TransportError } from "../transport/transport.js";
import { answerOptions, type Call, requestOf, WRONG_BASE_URL } from "./call.js";
import { redirected } from "./redirect-failure.js";
import { askedToWait } from "./wait-failure.js";

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
