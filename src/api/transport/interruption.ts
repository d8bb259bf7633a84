import type { HttpMethod } from "../../contract/routes.js";
import { CliError } from "../../errors.js";

/** The caller's reason to stop, and for a write that may have arrived the warning that it may have been done. */
export function interruptedWrite(method: HttpMethod, reason: unknown): unknown {
  if (method === "GET" || !(reason instanceof CliError)) return reason;
  if (reason.code !== "interrupted" || reason.hint !== undefined) return reason;
  return new CliError(reason.code, reason.message, {
    exitCode: reason.exitCode,
    inDoubt: true,
    hint: `a ${method} was under way: it is unknown whether it was done, look before you repeat it`,
    cause: reason,
  });
}
