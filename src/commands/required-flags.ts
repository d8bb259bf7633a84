import { type CliError, usageError } from "../errors.js";

/** A flag that must be given was not. */
export function missingFlag(flag: string): CliError {
  return usageError(`${flag} is missing`);
}
