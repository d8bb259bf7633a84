/** Every kind of failure with its exit code, in the order of docs/exit-codes.md. */
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

/** Exit code of `--fail-empty` with an empty result, which is not an error. */
export const EXIT_EMPTY = 3;

export interface CliErrorOptions {
  /** What the user can do, in one sentence. */
  readonly hint?: string | undefined;
  /** HTTP status of the response that caused it. */
  readonly status?: number | undefined;
  /** `errors` of the problem details, or candidates for a name. Any JSON. */
  readonly details?: unknown;
  /** The request that failed, as `METHOD /path`. */
  readonly request?: string | undefined;
  /** By default that of the code; only SIGTERM (143) and SIGHUP (129) have their own. */
  readonly exitCode?: number | undefined;
  /** Whether an interrupted write may have succeeded. */
  readonly mayHaveSucceeded?: boolean;
  readonly cause?: unknown;
}

/** A failure that is reported in one sentence, without a stack trace. */
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

/** The usage error of a change that is not a request, which `--dry-run` could not show. */
export function dryRunError(): CliError {
  return usageError(
    "--dry-run: this command changes something without sending a request that could be printed",
    "only writes to a calendar have a dry run",
  );
}

/** A new error with what another one says, which becomes its cause. @param changes what it says otherwise */
export function wrapError(
  error: CliError,
  code: ErrorCode,
  message: string,
  changes: Pick<CliErrorOptions, "hint" | "details" | "mayHaveSucceeded"> = {},
): CliError {
  const { hint, status, details, request, mayHaveSucceeded } = error;
  const exitCode = code === error.code ? error.exitCode : undefined;
  const said = { hint, status, details, request, exitCode, mayHaveSucceeded };
  return new CliError(code, message, { ...said, ...changes, cause: error });
}

/** An interruption of what may have done its work by then; any other error as it is. */
export function interruptedMidway(error: unknown, hint: string): unknown {
  if (!hasCode(error, "interrupted")) return error;
  return wrapError(error, error.code, error.message, { hint, mayHaveSucceeded: true });
}

/** Whether something may have been done although it failed. */
export function isOutcomeUnknown({ code, mayHaveSucceeded }: CliError): boolean {
  return code === "outcome_unknown" || mayHaveSucceeded;
}

/** The report of an error that no code expects. */
export function unexpectedError(cause: unknown): CliError {
  return new CliError("failed", `unexpected error: ${messageOf(cause)}`, {
    hint: "this is a bug in calctl; --debug shows where",
    cause,
  });
}

function messageOf(cause: unknown): string {
  try {
    return String(cause instanceof Error ? cause.message : cause);
  } catch {
    return "unknown";
  }
}

/** For a flag, argument or value that is wrong or missing (exit 2). */
export function usageError(message: string, hint?: string): CliError {
  return new CliError("usage", message, { hint });
}

/** The hint for an empty value, most often that of a script's variable. */
export const UNSET_VARIABLE = "is a variable of the script unset?";

/** A usage error for an empty value. @param what the flag or the value */
export function emptyValueError(what: string): CliError {
  return usageError(`${what} is empty`, UNSET_VARIABLE);
}

/** A usage error that names all missing flags: `missing --title, --start and --end (or --duration)`. */
export function missingFlagsError(flags: readonly string[], hint?: string, verb = "missing"): CliError {
  if (flags.length === 1) return usageError(`${verb} ${flags[0]}`, hint);
  const names = flags.map(withAlternatives);
  return usageError(`${verb} ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`, hint);
}

/** `--end or --duration` as `--end (or --duration)`, so that it reads as one of a list. */
function withAlternatives(flag: string): string {
  const [first = "", ...others] = flag.split(/, | or (?=--)/);
  return others.length === 0 ? first : `${first} (or ${others.join(" or ")})`;
}

/** One usage error that names several, with the hint of the first. */
export function joinUsageErrors(errors: readonly CliError[]): CliError {
  return usageError(errors.map(({ message }) => message).join("; "), errors[0]?.hint);
}

/** Whether an error is a CliError with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is CliError {
  return error instanceof CliError && codes.includes(error.code);
}

/** For `catch`: null for an error with one of these codes; any other is thrown. */
export function nullOn(...codes: readonly ErrorCode[]): (error: unknown) => null {
  return (error) => {
    if (hasCode(error, ...codes)) return null;
    throw error;
  };
}

/** The error as a usage error, to report it with others. Anything else is thrown. */
export function asUsageError(error: unknown): CliError {
  if (hasCode(error, "usage")) return error;
  throw error;
}

/** The message and the hint of an error about an answer or a file, where flags have no dashes. */
export function describeWithoutFlags({ message, hint }: CliError): string {
  const problem = hint === undefined ? message : `${message}: ${hint}`;
  return problem.replace(/(?<=^|[\s(])--(?=[a-z])/g, "");
}

/** For a problem in the configuration, the environment or a file of the program (exit 10). */
export function configurationError(message: string, options: CliErrorOptions = {}): CliError {
  return new CliError("configuration", message, options);
}

/** Why a file cannot be read or written: in words, else the code of the error. */
export function fileProblemOf(error: unknown): string {
  const code = errorCodeOf(error) ?? "unknown";
  return FILE_PROBLEMS[code] ?? code;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EISDIR: "is a directory",
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  EROFS: "read-only file system",
  ENOSPC: "no space left on device",
  EDQUOT: "disk quota exceeded",
  EFBIG: "file too large",
  EIO: "input/output error",
};

/** The `code` member of a Node or driver error, or undefined. */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
