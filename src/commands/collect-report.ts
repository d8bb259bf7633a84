import { CliError } from "../errors.js";

/** How messages speak of several items and of what is done to them. */
export interface CollectWords<I> {
  /** What one item is called: `event`, `calendar`. */
  readonly noun: string;
  /** What is done to it, as in "could not be read". */
  readonly verb: string;
  /** How messages name one item. */
  readonly name: (item: I) => string;
  /** Takes a line for people. */
  readonly warn: (text: string) => void;
}

/** What became of an item that was begun. */
export type Outcome<R> =
  | { readonly kind: "done"; readonly result: R }
  /** `failed_for_all`: for that reason the rest was not begun. */
  | { readonly kind: "failed" | "failed_for_all"; readonly error: CliError }
  /** Ended by an interruption or a bug: then the rest was not begun either. */
  | { readonly kind: "stopped"; readonly error: unknown };

/** An item that was not done, or is not known to be. */
interface Missing {
  readonly name: string;
  readonly error: CliError;
}

/**
 * Names the items that were not done, each with its reason; after an interruption also those that were.
 * @param outcomes by item; undefined for one that was not begun
 * @throws CliError the first failure when nothing was done, partial when some was
 * @throws what stopped the work as a whole; an interruption with the missing items in its details
 */
export function reportMissing<I, R>(
  items: readonly I[],
  outcomes: readonly (Outcome<R> | undefined)[],
  { noun, verb, name, warn }: CollectWords<I>,
): void {
  const failures = outcomes.filter((outcome) => outcome !== undefined && outcome.kind !== "done");
  const [first] = failures;
  if (first === undefined) return;
  if (items.length === 1) throw first.error;
  const stopped = failures.find(({ kind }) => kind === "stopped");
  const forAll = failures.find(({ kind }) => kind === "failed_for_all");
  const missing = items.flatMap((item, index): readonly Missing[] => {
    const outcome = outcomes[index];
    if (outcome?.kind === "done") return [];
    const error = outcome === undefined ? notTried((stopped ?? forAll)?.error) : errorOf(outcome.error, verb);
    return [{ name: name(item), error }];
  });
  const done = items.filter((_, index) => outcomes[index]?.kind === "done").map(name);
  const count = `${done.length} of ${items.length} ${noun}s were ${verb}`;
  if (stopped !== undefined && done.length > 0) warn(`${count}: ${done.join(", ")}`);
  for (const { name: missed, error } of missing) {
    warn(`${noun} ${missed}${error.inDoubt ? "" : ` could not be ${verb}`}: ${error.message}`);
  }
  if (stopped !== undefined) throw withMissing(stopped.error, missing);
  throw done.length === 0 ? noneDone(first.error, missing) : partial(missing, count);
}

function errorOf(error: unknown, verb: string): CliError {
  const known = asCliError(error);
  if (known.code !== "interrupted" || !known.inDoubt) return known;
  const message = `it is unknown whether it was ${verb}`;
  return new CliError("outcome_unknown", message, { inDoubt: true, cause: error });
}

/** Why an item was not begun, in the words of what kept it from being begun. */
function notTried(reason: unknown): CliError {
  const { code, message } = asCliError(reason);
  return new CliError(code, `not tried: ${message}`, { cause: reason });
}

function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError("failed", error instanceof Error ? error.message : String(error), { cause: error });
}

function noneDone(first: unknown, missing: readonly Missing[]): unknown {
  return withMissing(first, missing, `none of ${missing.length}: ${asCliError(first).message}`);
}

/** The same error with what is missing in its details; a bug stays as it is. */
function withMissing(error: unknown, missing: readonly Missing[], message?: string): unknown {
  if (!(error instanceof CliError)) return error;
  const { code, hint, status, request, exitCode, inDoubt } = error;
  const details = failedDetails(missing);
  return new CliError(code, message ?? error.message, {
    ...{ hint, status, request, exitCode, inDoubt, details },
    cause: error,
  });
}

function partial(missing: readonly Missing[], count: string): CliError {
  return new CliError("partial", `${count}, not: ${missing.map(({ name }) => name).join(", ")}`, {
    details: failedDetails(missing),
  });
}

function failedDetails(missing: readonly Missing[]) {
  return {
    failed: missing.map(({ name, error }) => ({ id: name, code: error.code, message: error.message })),
  };
}
