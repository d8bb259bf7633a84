import { CliError, isOutcomeUnknown, wrapError } from "../errors.js";
import { describeReason } from "../output/error-report.js";

/** What came of each of several items, and how stderr says it. */

/** An item, and what came of it; undefined if it was not started. */
export interface Attempt<I, R> {
  readonly item: I;
  readonly result: ItemResult<R> | undefined;
}

/** An item that was begun. */
export interface Attempted<I, R> extends Attempt<I, R> {
  readonly result: ItemResult<R>;
}

export type ItemResult<R> = { readonly kind: "done"; readonly value: R } | FailedItem;

export type FailedItem =
  /** `failed_for_all`: the rest would fail for the same reason, so it was not started. */
  | { readonly kind: "failed" | "failed_for_all"; readonly error: CliError }
  /** An interruption or an unexpected error: the rest was not started. */
  | { readonly kind: "stopped"; readonly error: unknown };

/** Those that failed, in the order of the items. */
export function failuresOf(attempts: readonly Attempt<unknown, unknown>[]): readonly FailedItem[] {
  return attempts.flatMap(({ result }) => (result === undefined || result.kind === "done" ? [] : [result]));
}

/** Parts of messages about the items. */
export interface ProcessTexts<I> {
  /** What one item is called: `event`, `calendar`. */
  readonly noun: string;
  /** Past participle, as in "could not be read". */
  readonly verb: string;
  /** How messages name one item. */
  readonly name: (item: I) => string;
  /** Its id, for the details of an error; by default its name. */
  readonly id?: (item: I) => string;
  /** Prints a line on stderr. */
  readonly warn: (text: string) => void;
  /** How many further items were done. */
  readonly othersDone?: number;
  /** Whether there is only one item, which its error need not name; by default where one is reported. */
  readonly isOnly?: boolean;
}

/** An item that failed, was not started, or may have failed. */
interface MissingItem {
  readonly id: string;
  readonly name: string;
  /** Whether it was begun. */
  readonly isTried: boolean;
  readonly error: CliError;
}

/** How many of several items are named. */
const MAX_NAMED = 20;

/** Says the first 20 of several texts, and at the end how many more there were. */
export function createNamer(say: (text: string) => void) {
  let count = 0;
  return {
    name(text: string): void {
      count += 1;
      if (count <= MAX_NAMED) say(text);
    },
    end(): void {
      if (count > MAX_NAMED) say(`and ${count - MAX_NAMED} more`);
    },
  };
}

/**
 * Reports each missing item with its reason; after an interruption also those that were processed.
 * @throws CliError the first failure when no item succeeded, partial when some did
 * @throws the error that stopped the processing; an interruption has the missing items in its details
 */
export function reportMissing<I, R>(
  attempts: readonly Attempt<I, R>[],
  { noun, verb, name, id = name, warn, othersDone = 0, isOnly = attempts.length === 1 }: ProcessTexts<I>,
): void {
  const failures = failuresOf(attempts);
  const [first] = failures;
  if (first === undefined) return;
  if (isOnly) throw first.error;
  const stopped = failures.find(({ kind }) => kind === "stopped");
  const reason = stopped ?? failures.find(({ kind }) => kind === "failed_for_all");
  const missing = attempts.flatMap(({ item, result }): readonly MissingItem[] => {
    if (result?.kind === "done") return [];
    const isTried = result !== undefined;
    const error = isTried ? errorOf(result.error, verb) : notStartedError(reason?.error);
    return [{ id: id(item), name: name(item), isTried, error }];
  });
  const done = attempts.filter(({ result }) => result?.kind === "done");
  const doneCount = done.length + othersDone;
  const count = `${doneCount} of ${attempts.length + othersDone} ${noun}s ${verb}`;
  if (stopped !== undefined && doneCount > 0)
    warn(done.length === 0 ? count : `${count}: ${namesOf(done.map(({ item }) => ({ name: name(item) })))}`);
  warnOfMissing(missing, { noun, verb, warn });
  if (stopped !== undefined) throw withMissing(stopped.error, missing);
  if (doneCount === 0) {
    const prefix = missing.length === 1 ? "" : `none of ${missing.length} ${noun}s was ${verb}: `;
    throw withMissing(first.error, missing, `${prefix}${asCliError(first.error).message}`);
  }
  throw new CliError("partial", `${count}, not: ${namesOf(missing)}`, {
    details: detailsOf(missing),
  });
}

function warnOfMissing(
  missing: readonly MissingItem[],
  { noun, verb, warn }: Pick<ProcessTexts<never>, "noun" | "verb" | "warn">,
): void {
  for (const { name, error } of missing.filter(({ isTried }) => isTried))
    warn(
      `${noun} ${name}${isOutcomeUnknown(error) ? "" : ` could not be ${verb}`}: ${describeReason(error)}`,
    );
  const untried = missing.filter(({ isTried }) => !isTried);
  if (untried.length > 0) warn(`${noun}s not tried: ${namesOf(untried)}`);
}

function namesOf(items: readonly Pick<MissingItem, "name">[]): string {
  return items.map(({ name }) => name).join(", ");
}

function errorOf(error: unknown, verb: string): CliError {
  const known = asCliError(error);
  if (known.code !== "interrupted" || !known.mayHaveSucceeded) return known;
  const message = `it is unknown whether it was ${verb}`;
  return new CliError("outcome_unknown", message, { mayHaveSucceeded: true, cause: error });
}

/** Why an item was not started: the error that prevented it. */
function notStartedError(reason: unknown): CliError {
  const { code, message } = asCliError(reason);
  return new CliError(code, `not tried: ${message}`, { cause: reason });
}

function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError("failed", error instanceof Error ? error.message : String(error), { cause: error });
}

/** The same error with the missing items in its details; an unexpected error is not changed. */
function withMissing(error: unknown, missing: readonly MissingItem[], message?: string): unknown {
  if (!(error instanceof CliError)) return error;
  return wrapError(error, error.code, message ?? error.message, { details: detailsOf(missing) });
}

function detailsOf(missing: readonly MissingItem[]) {
  return {
    failed: missing.map(({ id, error }) => ({ id, code: error.code, message: describeReason(error) })),
  };
}
