import { JSON_MEDIA_TYPE, PROBLEM_MEDIA_TYPE } from "../../contract/limits.js";
import { type FieldErrors, type ProblemStatus, problem } from "../../contract/problem.js";
import { CliError } from "../../errors.js";

/** One answer before it is written out. */
export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A success; null is an answer without a body. */
export function jsonReply(status: number, body: object | null): Reply {
  if (body === null) return { status, headers: {}, body: new Uint8Array() };
  return { status, headers: { "content-type": `${JSON_MEDIA_TYPE}; charset=utf-8` }, body: encode(body) };
}

/** The answer to HEAD: that to GET, with the length of what is left out. @see RFC 9110 §9.3.2 */
export function withoutBody({ status, headers, body }: Reply): Reply {
  return {
    status,
    headers: { ...headers, "content-length": String(body.byteLength) },
    body: new Uint8Array(),
  };
}

/**
 * The problem that an error is answered with. What the service itself has done wrong goes to `onError` alone.
 * @see RFC 9457
 */
export function problemReply(error: unknown, onError: (error: unknown) => void): Reply {
  const { status, errors, headers } = asProblemError(error, onError);
  return {
    status,
    headers: { ...headers, "content-type": PROBLEM_MEDIA_TYPE },
    body: encode(problem(status, errors)),
  };
}

/** The problem behind an error. What the service itself has done wrong goes to `onError`. */
export function asProblemError(error: unknown, onError: (error: unknown) => void): ProblemError {
  if (error instanceof ProblemError) return error;
  onError(error);
  const busy = error instanceof CliError && error.code === "unavailable";
  return busy ? new ProblemError(503, { headers: { "retry-after": "1" } }) : new ProblemError(500);
}

function encode(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

export interface ProblemErrorOptions {
  /** What to fix: one sentence, or field -> messages. */
  readonly errors?: string | FieldErrors;
  /** Further headers of the answer, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request is answered with a problem instead of what it asked for. @see RFC 9457, contract section 7 */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: ProblemStatus;
  readonly errors: string | FieldErrors | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ProblemStatus, { errors, headers = {} }: ProblemErrorOptions = {}) {
    super(`problem ${status}`);
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** 400 with what to fix. */
export function badRequest(errors: string | FieldErrors): ProblemError {
  return new ProblemError(400, { errors });
}
