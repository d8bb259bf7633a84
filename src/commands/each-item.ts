import { CliError, type ErrorCode } from "../errors.js";

export interface CollectOptions<I, R> extends CollectWords<I> {
  readonly work: (item: I) => Promise<R>;
  /** How many at a time; several for what only reads. */
  readonly atOnce?: number;
}

/** How many requests run side by side. */
const READS_AT_ONCE = 4;

/** What came of doing the same to each of several items. */
export interface Collected<R> {
  /** What was done, in the order of the items. */
  readonly results: readonly R[];
  /**
   * Says on stderr what became of the items that were not done. To be called once the results are printed.
   * @throws CliError the first failure when nothing was done, partial when some was, the interruption when there was
   * one; and whatever bug stopped it
   */
  finish(): void;
}

/** What would fail for every other item as well. */
const SHARED_FAILURES: ReadonlySet<ErrorCode> = new Set(["not_signed_in", "rate_limited", "configuration"]);

/**
 * Does the same to each of several items. What fails does not stop the rest, unless the rest would fail alike;
 * an interruption or a bug does.
 */
export async function collectEach<I, R>(
  items: readonly I[],
  options: CollectOptions<I, R>,
): Promise<Collected<R>> {
  const outcomes = await workOff(items, options);
  // What was done by then is printed all the same.
  const results = outcomes.flatMap((outcome) => (outcome?.kind === "done" ? [outcome.result] : []));
  return { results, finish: () => reportMissing(items, outcomes, options) };
}

async function workOff<I, R>(
  items: readonly I[],
  { work, atOnce = READS_AT_ONCE }: CollectOptions<I, R>,
): Promise<readonly (Outcome<R> | undefined)[]> {
  const outcomes: (Outcome<R> | undefined)[] = items.map(() => undefined);
  const queue = items.entries();
  let over = false;
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of queue) {
      const outcome = await attempt(work, item);
      outcomes[index] = outcome;
      over ||= endsAll(outcome);
      if (over) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, takeTurns));
  return outcomes;
}

async function attempt<I, R>(work: (item: I) => Promise<R>, item: I): Promise<Outcome<R>> {
  try {
    return { kind: "done", result: await work(item) };
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") return { kind: "stopped", error };
    return { kind: SHARED_FAILURES.has(error.code) ? "failed_for_all" : "failed", error };
  }
}

function endsAll({ kind }: Outcome<unknown>): boolean {
  return kind === "stopped" || kind === "failed_for_all";
}

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
