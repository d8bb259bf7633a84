import { DAY_MS } from "../../../contract/date-time.js";
import { isJsonObject, parseJson } from "../../../contract/json.js";
import { STATUS_TITLES } from "../../../contract/problem.js";
import type { HttpMethod } from "../../../contract/routes.js";
import { CliError, type CliErrorOptions } from "../../errors.js";
import { hasWait, type RateLimitReached, readRetryAfter, readServerTime } from "../sending/rate-limit.js";
import { MAY_HAVE_SUCCEEDED, outcomeUnknown, type UnknownOutcome } from "../sending/retry.js";
import { describeStatus, type RequestErrors } from "../sending/sender.js";
import { type HttpResponse, isRedirect, redirectTarget, type TransportError } from "../transport.js";

/** What error messages say about a request of the contract. */
export interface RequestDescription extends UnknownOutcome {
  readonly method: HttpMethod;
  /** Path below the base URL, without the query. */
  readonly path: string;
  readonly url: string;
  /** Value of `Accept`. */
  readonly mediaType: string;
  /** Where the token came from; undefined without one. */
  readonly tokenSource?: string | undefined;
  /** What is read or written: `event abc`, `the calendars`. */
  readonly subject: string;
  /** What does not exist after a 404, if it is not the subject. */
  readonly notFound?: string | undefined;
}

/** The errors of a request of the contract. @see contract section 7 */
export function createContractErrors(request: RequestDescription): RequestErrors {
  return {
    fromResponse: (response, attempts) => errorFromResponse(request, response, attempts),
    fromTransport: (error, attempts) => errorFromTransport(request, error, attempts),
    fromRateLimit: (limit) => errorFromRateLimit(request, limit),
    checkHint: request.checkHint,
    givenKey: request.givenKey,
  };
}

/** `METHOD /path`, as errors and notes on retries name a request. */
export function nameRequest({ method, path }: RequestDescription): string {
  return `${method} ${path}`;
}

const CHECK_BASE_URL = "check that the base URL is that of a calendar sharing service";
const TRY_AGAIN = "try again later; this is safe to repeat";

function errorFromResponse(request: RequestDescription, response: HttpResponse, attempts: number): CliError {
  const { status } = response;
  const { subject } = request;
  const options = responseOptions(request, response);
  const keyError = errorOfKey(request, options);
  if (keyError !== null) return keyError;
  switch (status) {
    case 401:
      return new CliError("not_signed_in", refusedToken(request), { ...options, hint: tokenHint(request) });
    case 403:
      return new CliError("forbidden", `${subject}: ${refusedParty(options)} may not do this`, options);
    case 404:
      return new CliError("not_found", `not found: ${request.notFound ?? subject}`, {
        ...options,
        // Every service of the contract has these.
        ...(ROOTS.has(request.path) ? { hint: CHECK_BASE_URL } : {}),
      });
    case 406:
      return new CliError("rejected", `${subject}: the service does not support ${request.mediaType} (406)`, {
        ...options,
        hint: "set the service's media type: calctl config set media_type application/vnd.NAME.v1+json",
      });
    default:
      if (status >= 500) {
        const message = `${subject}: ${describeStatus(status)}${countAttempts(attempts)}`;
        return new CliError("unavailable", message, { ...options, hint: retryHint(response) ?? TRY_AGAIN });
      }
      if (status < 400) return redirectError(request, response);
      return new CliError("rejected", `${subject}: the service refused the request (${status})`, options);
  }
}

/**
 * What a service says about the key that the user gave, whose details say no more; null for any other response.
 * @see docs/extensions.md
 */
function errorOfKey({ subject, givenKey }: RequestDescription, options: CliErrorOptions): CliError | null {
  if (givenKey === undefined) return null;
  const used = (reason: string) => {
    const message = `key "${givenKey}" ${reason}`;
    return new CliError("rejected", message, { ...options, details: undefined, hint: "use another key" });
  };
  switch (options.status) {
    case 409: {
      const message = `${subject}: another request with key "${givenKey}" is under way`;
      return new CliError("unavailable", message, { ...options, hint: TRY_AGAIN });
    }
    case 410:
      return used("created an event that was deleted since");
    case 422:
      return used("was used for other content");
    default:
      return null;
  }
}

function responseOptions(request: RequestDescription, response: HttpResponse): CliErrorOptions {
  return { request: nameRequest(request), status: response.status, details: readErrorDetails(response) };
}

/** Whose permission is missing. A service that gives a reason may mean the token, which may be read-only. */
function refusedParty({ details }: CliErrorOptions): string {
  return typeof details === "string" ? "the token" : "the token's owner";
}

function refusedToken({ tokenSource }: RequestDescription): string {
  const source = tokenSource === undefined ? "" : ` (from ${tokenSource})`;
  return `not signed in: the service refused the token${source}`;
}

function tokenHint({ tokenSource }: RequestDescription): string {
  return tokenSource === undefined || tokenSource === "keychain" || tokenSource === "file"
    ? "sign in again: calctl login"
    : "set a valid token there, or unset it to use the token of calctl login";
}

const ROOTS: ReadonlySet<string> = new Set(["/user", "/calendars"]);

function countAttempts(attempts: number): string {
  return attempts > 1 ? ` (${attempts} attempts)` : "";
}

function errorFromTransport(request: RequestDescription, error: TransportError, attempts: number): CliError {
  const message = `${request.subject}: ${error.message}${countAttempts(attempts)}`;
  return transportFailure(error, message, { request: nameRequest(request), hint: CHECK_BASE_URL });
}

/**
 * The error of a request without a complete response.
 * @param hint for a response that is not one of a service, where the failure has none of its own
 */
export function transportFailure(
  error: TransportError,
  message: string,
  { request, hint }: Pick<CliErrorOptions, "request" | "hint"> = {},
): CliError {
  const options = { request, hint: error.hint, cause: error };
  switch (error.kind) {
    case "tls":
    case "proxy":
      return new CliError("configuration", message, options);
    case "too_large":
    case "not_http":
      return new CliError("rejected", message, { ...options, hint: error.hint ?? hint });
    default:
      return new CliError("unavailable", message, { ...options, hint: error.hint ?? TRY_AGAIN });
  }
}

/** The error of a complete success that does not match the contract: a write may have succeeded. */
export function unreadableResponse(
  request: RequestDescription,
  status: number,
  { reason, cause }: { readonly reason: string; readonly cause: unknown },
): CliError {
  const message = `${request.subject}: ${reason}`;
  const options = { request: nameRequest(request), status, cause };
  if (request.method === "POST") {
    return outcomeUnknown(new CliError("rejected", message, options), request);
  }
  if (request.method === "GET")
    return new CliError("rejected", message, { ...options, hint: CHECK_BASE_URL });
  return new CliError("rejected", `${message}; ${MAY_HAVE_SUCCEEDED}`, {
    ...options,
    hint: "check whether it did; this is safe to repeat",
  });
}

/** A redirect that is not followed, or another status below 400 that the contract does not have. */
function redirectError(request: RequestDescription, { status, headers }: HttpResponse): CliError {
  const { origin } = new URL(request.url);
  const target = redirectTarget(headers["location"], request.url);
  const rejected = (what: string, hint: string) => {
    const options = { request: nameRequest(request), status, hint };
    return new CliError("rejected", `${request.subject}: the service ${what} (${status})`, options);
  };
  if (!isRedirect(status)) return rejected("returned an unexpected status", CHECK_BASE_URL);
  if (target === null) return rejected("redirects without a target", CHECK_BASE_URL);
  if (target.origin !== origin) {
    const to = target.origin === "null" ? target.protocol : target.origin;
    const hint = `the token is sent only to ${origin}; if the service has moved, change base_url`;
    return rejected(`redirects to ${to}`, hint);
  }
  if (request.method !== "GET") {
    const hint = "check the base URL; writes do not follow redirects";
    return rejected(`redirects a ${request.method} to ${target.pathname}`, hint);
  }
  return rejected(`redirects in a loop, last to ${target.pathname}`, CHECK_BASE_URL);
}

function errorFromRateLimit(request: RequestDescription, limit: RateLimitReached): CliError {
  const { refusal } = limit;
  const message = "the service's rate limit has been reached";
  const hint = waitHint(limit);
  if (refusal !== null) {
    return new CliError("rate_limited", message, { ...responseOptions(request, refusal), hint });
  }
  const options = { request: nameRequest(request), hint };
  return new CliError("rate_limited", `${message}, according to an earlier response`, options);
}

/** The hint of a response that says when to try again; undefined if it does not. */
function retryHint({ headers }: HttpResponse): string | undefined {
  const wait = readRetryAfter(headers, readServerTime(headers));
  if (wait === null || wait === 0) return undefined;
  return longWaitHint(wait) ?? `try again in ${inSeconds(wait)}, as the service asks; this is safe to repeat`;
}

/** The hint for a wait that no service can mean; undefined for any other. */
function longWaitHint(wait: number): string | undefined {
  if (wait <= DAY_MS) return undefined;
  return `the service asks to wait ${Math.ceil(wait / DAY_MS)} days, which may be a mistake`;
}

function inSeconds(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** When to try again after a rate limit. */
export function waitHint({ wait, waited, refusal }: RateLimitReached): string {
  if (refusal !== null && !hasWait(refusal.headers)) return "try again later; the service does not say when";
  const maxWait = Math.ceil((waited + wait) / 1000);
  return longWaitHint(wait) ?? `try again in ${inSeconds(wait)}, or wait for it with --max-wait ${maxWait}`;
}

/** Longest unstructured text that is passed on, in UTF-16 code units. */
const MAX_LENGTH = 300;

/** Members with a sentence, of problem details, JSON:API errors and OAuth errors; the first that is there counts. */
const SENTENCES = ["detail", "error_description", "message", "title", "error"];

const STANDARD_TITLES: ReadonlySet<string> = new Set(Object.values(STATUS_TITLES));

/**
 * What an error response says about its cause: its `errors` unchanged, else one sentence; undefined if it says nothing
 * but its status, like the pages of gateways.
 * @see RFC 9457 §3, JSON:API "Error Objects", RFC 6749 §5.2
 */
export function readErrorDetails({ headers, body }: HttpResponse): unknown {
  const decoded = new TextDecoder().decode(body);
  const json = parseJson(decoded);
  // Gateways send HTML or nothing.
  if (json === undefined) {
    return headers["content-type"]?.startsWith("text/plain") === true ? shorten(decoded) : undefined;
  }
  if (!isJsonObject(json)) return typeof json === "string" ? shorten(json) : undefined;
  const { errors } = json;
  if (errors !== undefined && errors !== null) return errors;
  return SENTENCES.map((name) => json[name])
    .map((value) => (typeof value !== "string" || STANDARD_TITLES.has(value) ? undefined : shorten(value)))
    .find((value) => value !== undefined);
}

/** Undefined for an empty text. */
function shorten(value: string): string | undefined {
  const trimmed = value.trim();
  if (trimmed === "") return undefined;
  return trimmed.length > MAX_LENGTH ? `${trimmed.slice(0, MAX_LENGTH)}…` : trimmed;
}
