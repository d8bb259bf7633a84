import { type CliError, usageError } from "../errors.js";

/** What is known of an event when it is asked which times it still needs. */
export interface TimesGiven {
  /** False where an event without times would do. */
  readonly needed: boolean;
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
}

/** The flags that would give the missing times, as messages name them. */
export function missingTimes({ needed, hasStart, hasEnd }: TimesGiven): readonly string[] {
  if (!needed) return [];
  return [...(hasStart ? [] : ["--start"]), ...(hasEnd ? [] : ["--end or --duration"])];
}

/** The usage error that names every missing flag at once. */
export function missingFlags(flags: readonly string[], hint?: string): CliError {
  return usageError(`missing ${flags.join(", ")}`, hint);
}
