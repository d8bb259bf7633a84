import type { Context } from "../context.js";
import { missingFlagsError } from "../errors.js";

/** A value that a command needs, and asks for where its command line leaves it out. */
export interface NeededValue<T> {
  /** The flag or the argument, as messages name it. */
  readonly name: string;
  readonly given: T | undefined;
  readonly ask: () => Promise<T>;
}

/** One that may depend on others. */
interface DependentValue<T, V> extends NeededValue<T> {
  /** Whether it is needed, by the values before it; always by default. */
  readonly when?: (values: Partial<V>) => boolean;
}

/**
 * The values as given, and the answers to what is missing, asked in the order of the keys.
 * @param hint for what is missing
 * @throws CliError usage that names all that is missing where nothing can be asked
 */
export async function completeValues<V extends object>(
  { available }: Pick<Context["prompt"], "available">,
  needed: { readonly [K in keyof V]: DependentValue<V[K], V> },
  hint?: string,
): Promise<V> {
  const values: Partial<V> = {};
  const missing: string[] = [];
  for (const key of Object.keys(needed) as (keyof V)[]) {
    const { name, given, ask, when } = needed[key];
    const isNeeded = given === undefined && (when === undefined || when(values));
    if (isNeeded && !available) missing.push(name);
    const value = isNeeded && available ? await ask() : given;
    if (value !== undefined) values[key] = value;
  }
  if (missing.length > 0) throw missingFlagsError(missing, hint);
  return values as V;
}
