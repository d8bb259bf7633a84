import * as v from "valibot";
import { parseRateLimitReset } from "../contract/rate-limit.js";
import type { HttpMethod } from "../contract/routes.js";
import { CliError, type CliErrorOptions } from "../errors.js";
import type { HttpResponse, TransportError } from "./transport.js";

/** One call of the client, as messages speak of it. */
export interface Call {
  readonly method: HttpMethod;
  /** Path below the base URL, without the query. */
  readonly path: string;
  /** What is read or written: `event abc`, `the calendars`. */
  readonly subject: string;
  /** What a 404 says is not there, where it is not the subject itself. */
  readonly notFound?: string | undefined;
  /** Where to look when it is unknown whether a write was done. */
  readonly lookAt?: string | undefined;
}

/** Turns an answer that is no success into the error of its status. @see contract section 7 */
export function errorFromAnswer(call: Call, response: HttpResponse): CliError {
  const { status } = response;
  const details = problemErrors(response.body);
  const options = { ...requestOf(call), status, ...(details === undefined ? {} : { details }) };
  switch (status) {
    case 401:
      return new CliError("not_signed_in", "not signed in: the service refused the token", options);
    case 403:
      return new CliError("forbidden", `${call.subject}: the token's owner may not do this`, options);
    case 404:
      return new CliError("not_found", `not found: ${call.notFound ?? call.subject}`, options);
    case 429:
      return new CliError("rate_limited", "the service's rate limit is used up", {
        ...options,
        ...rateLimitHint(response),
      });
    default:
      return status >= 500 ? serverError(call, status, options) : rejectedError(call, status, options);
  }
}

function serverError(call: Call, status: number, options: CliErrorOptions): CliError {
  if (call.method === "POST") return outcomeUnknown(call, `the service answered ${status}`, options);
  return new CliError("unavailable", `${call.subject}: the service answered ${status}`, {
    ...options,
    hint: TRY_AGAIN,
  });
}

function rejectedError(call: Call, status: number, options: CliErrorOptions): CliError {
  if (status >= 300 && status < 400) {
    return new CliError("rejected", `${call.subject}: the service redirects elsewhere (${status})`, {
      ...options,
      hint: "is the base URL right?",
    });
  }
  return new CliError("rejected", `${call.subject}: the service refused the request (${status})`, options);
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
export function errorFromTransport(call: Call, error: TransportError): CliError {
  const options = {
    ...requestOf(call),
    cause: error,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
  if (call.method === "POST" && error.sent !== "no") return outcomeUnknown(call, error.message, options);
  const message = `${call.subject}: ${error.message}`;
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
const WRONG_BASE_URL = "is the base URL that of a calendar sharing service?";

/** An answer that came but cannot be read. A POST that was answered with success may have been done. */
export function unreadableAnswer(
  call: Call,
  response: HttpResponse,
  fault: { readonly reason: string; readonly cutShort: boolean; readonly cause?: unknown },
): CliError {
  const options = { ...requestOf(call), status: response.status, cause: fault.cause };
  if (call.method === "POST") return outcomeUnknown(call, fault.reason, options);
  if (fault.cutShort) return new CliError("unavailable", `${call.subject}: ${fault.reason}`, options);
  return new CliError("rejected", `${call.subject}: ${fault.reason}`, {
    ...options,
    hint: WRONG_BASE_URL,
  });
}

function requestOf(call: Call): { readonly request: string } {
  return { request: `${call.method} ${call.path}` };
}

function rateLimitHint(response: HttpResponse): { readonly hint: string } {
  const seconds = response.headers["retry-after"];
  if (seconds !== undefined && /^\d{1,9}$/.test(seconds)) return { hint: `try again in ${seconds} seconds` };
  const reset = parseRateLimitReset(response.headers);
  // 8.64e12 seconds is the end of JavaScript's time.
  if (reset === null || reset > 8.64e12) return { hint: "try again later" };
  return { hint: `try again after ${new Date(reset * 1000).toISOString()}` };
}

const problemBody = v.looseObject({ errors: v.unknown() });

/** `errors` of problem details, or of JSON:API; undefined where there is none. */
function problemErrors(body: Uint8Array): unknown {
  try {
    const parsed = v.safeParse(problemBody, JSON.parse(new TextDecoder().decode(body)));
    return parsed.success ? (parsed.output.errors ?? undefined) : undefined;
  } catch {
    // Gateways answer in HTML or not at all: the status says enough.
    return undefined;
  }
}
