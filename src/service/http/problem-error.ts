import type { FieldErrors, ProblemStatus } from "../../contract/problem.js";

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
