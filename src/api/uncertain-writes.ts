import type { HttpMethod } from "../../contract/routes.js";
import { CliError, type ErrorCode, wrapError } from "../errors.js";

/** Part of the message when a write may have succeeded although it failed here. */
export const MAY_HAVE_SUCCEEDED = "the write may have succeeded";

/** The failure of a write that may have succeeded and is not safe to repeat (exit 9). */
export function outcomeUnknown(error: CliError, hint = "check before you repeat it"): CliError {
  const { status, details, request } = error;
  const message = `${error.message}; ${MAY_HAVE_SUCCEEDED}`;
  return new CliError("outcome_unknown", message, { hint, status, details, request, cause: error });
}

/** Codes that say that nothing was written, which is wrong if an earlier attempt succeeded. */
const NOTHING_WRITTEN: ReadonlySet<ErrorCode> = new Set([
  "not_signed_in",
  "forbidden",
  "rate_limited",
  "configuration",
]);

/**
 * The last failure of a PUT or DELETE when an earlier attempt may have succeeded: exit 8 if its own code would say that
 * nothing was written. (5 is true either way; 8 and 11 leave it open.)
 */
export function afterUncertainAttempt(error: CliError): CliError {
  const isDenied = NOTHING_WRITTEN.has(error.code);
  if (!isDenied && error.code !== "rejected") return error;
  const message = `${error.message}; an earlier attempt may have succeeded`;
  return wrapError(error, isDenied ? "unavailable" : error.code, message);
}

/** The signal's reason; if it interrupts a write that may have arrived, with a warning that it may have succeeded. */
export function interruptedWrite(method: HttpMethod, reason: unknown): unknown {
  if (method === "GET" || !(reason instanceof CliError)) return reason;
  if (reason.code !== "interrupted" || reason.hint !== undefined) return reason;
  return new CliError(reason.code, reason.message, {
    exitCode: reason.exitCode,
    mayHaveSucceeded: true,
    hint: `a ${method} was in progress and may have succeeded; check before you repeat it`,
    cause: reason,
  });
}
