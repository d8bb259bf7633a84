import { CliError, DryRunStop, type ErrorCode, type PlannedRequest, StaleNamesError } from "../errors.js";

export interface ProcessOptions<I, R> extends ProcessTexts<I> {
  readonly work: (item: I) => Promise<R>;
  /** Items processed at the same time; several by default, which suits reads. */
  readonly concurrency?: number;
  /** Whether an item with this result counts as one that was processed; all do by default. */
  readonly counts?: (result: R) => boolean;
}

const READ_CONCURRENCY = 4;

/** The result of processing several items. */
export interface Processed<R> {
  /** Results of the items that succeeded, in the order of the items. */
  readonly results: readonly R[];
  /**
   * Reports failed items on stderr. Call it after the results are printed.
   * @throws CliError the first failure when no item succeeded, partial when some did, and always an interruption
   * @throws an unexpected error that stopped the processing
   */
  reportFailures(): void;
}

/** Failures that every other item would have as well. */
const FAILURES_FOR_ALL: ReadonlySet<ErrorCode> = new Set(["not_signed_in", "rate_limited", "configuration"]);

/**
 * Processes each of several items. A failure does not stop the rest, unless the rest would fail for the same reason;
 * an interruption or an unexpected error does.
 * @throws DryRunStop with the writes of all items
 * @throws StaleNamesError when no item is in progress any more, since all of it is done again then
 */
export async function processEach<I, R>(
  items: readonly I[],
  options: ProcessOptions<I, R>,
): Promise<Processed<R>> {
  const itemResults = await runAll(items, options.work, options.concurrency);
  const stale = failuresOf(itemResults).find(({ error }) => error instanceof StaleNamesError);
  if (stale !== undefined) throw stale.error;
  const results = itemResults.flatMap((itemResult) =>
    itemResult?.kind === "done" ? [itemResult.result] : [],
  );
  const { counts = () => true } = options;
  const counted = items.flatMap((item, index) => {
    const itemResult = itemResults[index];
    return itemResult?.kind === "done" && !counts(itemResult.result) ? [] : [{ item, itemResult }];
  });
  const reportFailures = () =>
    reportMissing(
      counted.map(({ item }) => item),
      counted.map(({ itemResult }) => itemResult),
      { ...options, isOnly: items.length === 1 },
    );
  const planned = itemResults.flatMap((itemResult) =>
    itemResult?.kind === "planned" ? itemResult.requests : [],
  );
  if (planned.length > 0) throw new DryRunStop(planned, reportFailures);
  return { results, reportFailures };
}

/**
 * Processes each of several items, like `processEach`.
 * @returns the error that stopped the rest, otherwise the first failure in the order of the items; undefined without one
 */
export async function firstFailure<I>(
  items: readonly I[],
  work: (item: I) => Promise<void>,
): Promise<unknown> {
  const failures = failuresOf(await runAll(items, work));
  return (failures.find(({ kind }) => kind === "stopped") ?? failures[0])?.error;
}

async function runAll<I, R>(
  items: readonly I[],
  work: (item: I) => Promise<R>,
  concurrency = READ_CONCURRENCY,
): Promise<readonly (ItemResult<R> | undefined)[]> {
  const itemResults: (ItemResult<R> | undefined)[] = items.map(() => undefined);
  const queue = items.entries();
  let stopped = false;
  const runNext = async (): Promise<void> => {
    for (const [index, item] of queue) {
      const itemResult = await attempt(work, item);
      itemResults[index] = itemResult;
      stopped ||= itemResult.kind === "stopped" || itemResult.kind === "failed_for_all";
      if (stopped) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, runNext));
  return itemResults;
}

async function attempt<I, R>(work: (item: I) => Promise<R>, item: I): Promise<ItemResult<R>> {
  try {
    return { kind: "done", result: await work(item) };
  } catch (error) {
    if (error instanceof DryRunStop) return { kind: "planned", requests: error.requests };
    return readFailure(error);
  }
}

/** What an error of one item means for the others. */
export function readFailure(error: unknown): FailedItem {
  if (!(error instanceof CliError) || error.code === "interrupted") return { kind: "stopped", error };
  return { kind: FAILURES_FOR_ALL.has(error.code) ? "failed_for_all" : "failed", error };
}

function failuresOf<R>(itemResults: readonly (ItemResult<R> | undefined)[]) {
  return itemResults.filter((itemResult) => itemResult !== undefined && !isDone(itemResult));
}

function isDone<R>(
  itemResult: ItemResult<R> | undefined,
): itemResult is Extract<ItemResult<R>, { readonly kind: "done" | "planned" }> {
  return itemResult?.kind === "done" || itemResult?.kind === "planned";
}

/** Parts of messages about the items. */
interface ProcessTexts<I> {
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
  /** Whether there is only one item, which its error need not name; by default where one is reported. */
  readonly isOnly?: boolean;
}

/** The result of an item that was started. */
export type ItemResult<R> =
  | { readonly kind: "done"; readonly result: R }
  /** With `--dry-run`, instead of a write. */
  | { readonly kind: "planned"; readonly requests: readonly PlannedRequest[] }
  | FailedItem;

export type FailedItem =
  /** `failed_for_all`: the rest would fail for the same reason, so it was not started. */
  | { readonly kind: "failed" | "failed_for_all"; readonly error: CliError }
  /** An interruption or an unexpected error: the rest was not started. */
  | { readonly kind: "stopped"; readonly error: unknown };

/** An item that failed, was not started, or may have failed. */
interface MissingItem {
  readonly id: string;
  readonly name: string;
  readonly error: CliError;
}

/**
 * Reports each missing item with its reason; after an interruption also those that were processed.
 * @param itemResults by item; undefined for one that was not started
 * @throws CliError the first failure when no item succeeded, partial when some did
 * @throws the error that stopped the processing; an interruption has the missing items in its details
 */
export function reportMissing<I, R>(
  items: readonly I[],
  itemResults: readonly (ItemResult<R> | undefined)[],
  { noun, verb, name, id = name, warn, isOnly = items.length === 1 }: ProcessTexts<I>,
): void {
  const failures = failuresOf(itemResults);
  const [first] = failures;
  if (first === undefined) return;
  if (isOnly) throw first.error;
  const stopped = failures.find(({ kind }) => kind === "stopped");
  const forAll = failures.find(({ kind }) => kind === "failed_for_all");
  const missing = items.flatMap((item, index): readonly MissingItem[] => {
    const itemResult = itemResults[index];
    if (isDone(itemResult)) return [];
    const error =
      itemResult === undefined
        ? notStartedError((stopped ?? forAll)?.error)
        : errorOf(itemResult.error, verb);
    return [{ id: id(item), name: name(item), error }];
  });
  const done = items.filter((_, index) => isDone(itemResults[index])).map(name);
  const isPlanned = itemResults.some((itemResult) => itemResult?.kind === "planned");
  const count = `${done.length} of ${items.length} ${noun}s ${isPlanned ? "would be" : "were"} ${verb}`;
  if (stopped !== undefined && done.length > 0) warn(`${count}: ${done.join(", ")}`);
  for (const { name: missed, error } of missing) {
    const isUnknown = error.mayHaveSucceeded || error.code === "outcome_unknown";
    warn(`${noun} ${missed}${isUnknown ? "" : ` could not be ${verb}`}: ${error.message}`);
  }
  if (stopped !== undefined) throw withMissing(stopped.error, missing);
  if (done.length === 0) {
    const prefix = missing.length === 1 ? "" : `none of ${missing.length}: `;
    throw withMissing(first.error, missing, `${prefix}${asCliError(first.error).message}`);
  }
  throw new CliError("partial", `${count}, not: ${missing.map((item) => item.name).join(", ")}`, {
    details: detailsOf(missing),
  });
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
  const { code, hint, status, request, exitCode, mayHaveSucceeded } = error;
  const details = detailsOf(missing);
  return new CliError(code, message ?? error.message, {
    ...{ hint, status, request, exitCode, mayHaveSucceeded, details },
    cause: error,
  });
}

function detailsOf(missing: readonly MissingItem[]) {
  return {
    failed: missing.map(({ id, error }) => ({ id, code: error.code, message: error.message })),
  };
}
