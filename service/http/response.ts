import { EXTENSIONS, EXTENSIONS_HEADER } from "../../contract/extensions.js";
import { JSON_MEDIA_TYPE, PROBLEM_MEDIA_TYPE } from "../../contract/media-types.js";
import { type FieldErrors, type ProblemStatus, problem } from "../../contract/problem.js";
import { REVISION_HEADER } from "../../contract/routes.js";
import { NulError } from "../../src/system/query-text.js";
import { DatabaseUnavailableError } from "../store/store.js";

/** One HTTP response as plain data. */
export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** What the body says, for a caller in this process, which need not parse it. The bytes are made when they are read. */
  readonly document?: object | undefined;
  /** The error behind a 500 or 503. Set only for requests from this process, which owns the database. */
  readonly failure?: unknown;
}

/**
 * Headers of responses without an entity tag: calendars are private, browsers must not take JSON for HTML, and clients may
 * use what the service has beyond the contract.
 * @see RFC 9111 §5.2.2.5
 */
const API_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  [EXTENSIONS_HEADER]: EXTENSIONS.join(", "),
} as const;

const JSON_CONTENT_TYPE = `${JSON_MEDIA_TYPE}; charset=utf-8`;

/** A success; null gives a response without a body. @param added further headers, names in lower case */
export function jsonResponse(
  status: number,
  body: object | null,
  added: Readonly<Record<string, string>> = {},
): ServiceResponse {
  if (body === null) return { status, headers: { ...API_HEADERS, ...added }, body: new Uint8Array() };
  const headers = { "content-type": JSON_CONTENT_TYPE, ...API_HEADERS, ...added };
  return { status, headers, body: encode(body) };
}

/** Identifies the representation that a response has. @see RFC 9110 §8.8 */
export interface Validators {
  /** Entity tag. */
  readonly tag: string;
  /** Revision of the calendar whose events it has; undefined without events. */
  readonly revision?: number | undefined;
}

/** A 200 that the client may store, and use again after it has validated it. @see RFC 9111 §4.3 */
export function taggedResponse(validators: Validators, body: object, isLocal: boolean): ServiceResponse {
  const headers = validatedHeaders(validators);
  headers["content-type"] = JSON_CONTENT_TYPE;
  const head = { status: 200, headers };
  return isLocal ? documentResponse(head, body) : { ...head, body: encode(body) };
}

/** A response to a caller in this process. */
export function documentResponse(
  { status, headers }: Omit<ServiceResponse, "body">,
  document: object,
): ServiceResponse {
  return {
    status,
    headers,
    document,
    get body() {
      return encode(document);
    },
  };
}

/** The response to a client that has the representation already. @see RFC 9110 §15.4.5 */
export function notModifiedResponse(validators: Validators): ServiceResponse {
  return { status: 304, headers: validatedHeaders(validators), body: new Uint8Array() };
}

/**
 * A stored response is for one user, and is validated before each use, since the token may have been revoked.
 * @see RFC 9111 §5.2.2.4, §5.2.2.7
 */
function validatedHeaders({ tag, revision }: Validators): Record<string, string> {
  const headers: Record<string, string> = {
    "cache-control": "private, no-cache",
    "x-content-type-options": API_HEADERS["x-content-type-options"],
    [EXTENSIONS_HEADER]: API_HEADERS[EXTENSIONS_HEADER],
    etag: tag,
  };
  if (revision !== undefined) headers[REVISION_HEADER] = String(revision);
  return headers;
}

/** The response to HEAD: that to GET without its body. @see RFC 9110 §9.3.2 */
export function withoutBody(response: ServiceResponse): ServiceResponse {
  // Its length would be that of the body that the client has.
  if (response.status === 304) return response;
  const headers = { ...response.headers, "content-length": String(response.body.byteLength) };
  return { ...response, headers, body: new Uint8Array(), document: undefined };
}

/** A problem as the API sends it. @see RFC 9457 */
export function problemResponse({ status, errors, headers }: ProblemError): ServiceResponse {
  return {
    status,
    headers: { ...API_HEADERS, ...headers, "content-type": PROBLEM_MEDIA_TYPE },
    body: encode(problem(status, errors)),
  };
}

/** Text with NUL is a 400. Any other error is a 500, or a 503 while the database cannot be used, with that error as its `cause`. */
export function toProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof NulError) return badRequest(error.message);
  return error instanceof DatabaseUnavailableError
    ? new ProblemError(503, { headers: { "retry-after": "1" }, cause: error })
    : new ProblemError(500, { cause: error });
}

function encode(body: object): Uint8Array {
  // Not a small Buffer, which shares its memory with others: a cached response would keep it as well.
  return new TextEncoder().encode(JSON.stringify(body));
}

export interface ProblemErrorOptions {
  /** What is wrong: one sentence, or field -> messages. */
  readonly errors?: string | FieldErrors;
  /** Additional response headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The error behind a 500 or 503, which the response does not describe. */
  readonly cause?: unknown;
}

/** Thrown when a request must be answered with problem details. @see RFC 9457, contract section 7 */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: ProblemStatus;
  readonly errors: string | FieldErrors | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ProblemStatus, { errors, headers = {}, cause }: ProblemErrorOptions = {}) {
    super(`problem ${status}`, { cause });
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** How much of a client's input an error text repeats, in code points. */
const MAX_EXCERPT = 200;

/** Input as an error text repeats it. What is longer ends with an ellipsis. */
export function excerpt(input: string): string {
  // Two UTF-16 code units at most make a code point: the rest of the input need not be read.
  const start = Array.from(input.slice(0, 2 * MAX_EXCERPT + 1));
  return start.length <= MAX_EXCERPT ? input : `${start.slice(0, MAX_EXCERPT - 1).join("")}…`;
}

/** A 400. @param errors what is wrong */
export function badRequest(errors: string | FieldErrors): ProblemError {
  return new ProblemError(400, { errors });
}
