import { CliError } from "../errors.js";

/** Thrown for a query whose text has a NUL. */
export class NulError extends CliError {
  constructor() {
    super("usage", "text must not contain NUL");
  }
}

/**
 * Returns the parameters of a query. No stored text has a NUL: `@photostructure/sqlite` would bind only the part before it, so
 * that `id\0x` finds `id`, and PostgreSQL cannot represent one.
 * @throws NulError
 */
export function refuseNul(parameters: readonly unknown[]): readonly unknown[] {
  for (const parameter of parameters)
    if (typeof parameter === "string" && parameter.includes("\0")) throw new NulError();
  return parameters;
}
