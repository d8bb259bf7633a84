/**
 * Every way a command can fail, with the exit code scripts rely on.
 * The order is that of the exit-code table in docs/exit-codes.md.
 */
export const EXIT_CODES = {
  failed: 1,
  usage: 2,
  not_signed_in: 4,
  not_found: 5,
  forbidden: 6,
  rate_limited: 7,
  unavailable: 8,
  outcome_unknown: 9,
  configuration: 10,
  rejected: 11,
  partial: 12,
  changed: 13,
  interrupted: 130,
} as const;

export type ErrorCode = keyof typeof EXIT_CODES;

/** Exit code of `--fail-empty` with an empty result: not a failure, so it is no error. */
export const EXIT_EMPTY = 3;

export interface CliErrorOptions {
  /** What to do next, one sentence. */
  readonly hint?: string | undefined;
  /** HTTP status of the answer that caused it. */
  readonly status?: number | undefined;
  /** `errors` of the problem details, or candidates for a name: anything JSON can hold. */
  readonly details?: unknown;
  /** The request that failed, as `METHOD /path`. */
  readonly request?: string | undefined;
  /** Differs from the code's own exit code only for SIGTERM (143). */
  readonly exitCode?: number | undefined;
  /** Whether it interrupted a write that may have succeeded. */
  readonly mayHaveSucceeded?: boolean;
  readonly cause?: unknown;
}

/** A failure the user is told about in one sentence, without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: ErrorCode;
  readonly exitCode: number;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly details: unknown;
  readonly request: string | undefined;
  readonly mayHaveSucceeded: boolean;

  constructor(code: ErrorCode, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT_CODES[code];
    this.hint = options.hint;
    this.status = options.status;
    this.details = options.details;
    this.request = options.request;
    this.mayHaveSucceeded = options.mayHaveSucceeded ?? false;
  }
}

/** The same failure under another code and in other words; it becomes the cause. */
export function restate(error: CliError, code: ErrorCode, message: string): CliError {
  const { hint, status, details, request } = error;
  return new CliError(code, message, { hint, status, details, request, cause: error });
}

/** A flag, argument or value is wrong or missing (exit 2). */
export function usageError(message: string, hint?: string): CliError {
  return new CliError("usage", message, hint === undefined ? {} : { hint });
}

/** Something in the configuration, the environment or a file of ours is broken (exit 10). */
export function configurationError(message: string, options: CliErrorOptions = {}): CliError {
  return new CliError("configuration", message, options);
}

/** The `code` member of a Node or driver error, or undefined. */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
