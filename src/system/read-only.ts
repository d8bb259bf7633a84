import { dryRunError } from "../errors.js";

/**
 * With `--dry-run`, an object whose methods are refused but for these, which change nothing; otherwise the object.
 * What changes something by a request is printed instead, where requests are sent.
 */
export function readOnlyIf<T extends object>(dryRun: boolean, object: T, reads: readonly (keyof T)[]): T {
  if (!dryRun) return object;
  const members = Object.getOwnPropertyDescriptors(object);
  const refused = Object.keys(members).filter((name) => !reads.some((read) => read === name));
  const refusal = { value: refuse, enumerable: true };
  // By its descriptors, since reading a member may take time or fail.
  return Object.defineProperties({} as T, {
    ...members,
    ...Object.fromEntries(refused.map((name) => [name, refusal])),
  });
}

async function refuse(): Promise<never> {
  throw dryRunError();
}
