import { CliError, type ErrorCode, isOutcomeUnknown, unexpectedError, wrapError } from "../errors.js";
import { describeReason } from "../output/error-report.js";

interface ProcessOptions<I, R> extends ProcessTexts<I> {
  readonly work: (item: I) => Promise<R>;
  /** Items processed at the same time; several by default, which suits reads. */
  readonly concurrency?: number;
  /** Whether the failure of one says nothing about the others, even where all would have it as a rule. */
  readonly isSeparate?: boolean;
  /** Whether an unexpected error stops the rest, which is the default, or only fails its item. */
  readonly onUnexpected?: "stop" | "fail";
  /** Whether an item with this result counts as one that was processed; all do by default. */
  readonly counts?: (result: R) => boolean;
}

const CONCURRENCY = 4;

/** How many items in a row make an outage. */
const OUTAGE_LENGTH = 4;

/** The result of processing several items. */
interface Processed<R> {
  /** Results of the items that succeeded, in the order of the items. */
  readonly results: readonly R[];
  readonly reportFailures: ReportFailures;
}

/**
 * Reports failed items on stderr. Call it after the results are printed.
 * @param adapt makes of the failure what is thrown instead; null for nothing
 * @throws CliError the first failure when no item succeeded, partial when some did, and always an interruption
 * @throws an unexpected error that stopped the processing
 */
export type ReportFailures = (adapt?: (failure: CliError) => CliError | null) => void;

/** Failures that every other item would have as well. */
const FAILURES_FOR_ALL: ReadonlySet<ErrorCode> = new Set(["not_signed_in", "rate_limited", "configuration"]);

/** How a write fails while the service is away. */
const OUTAGE: ReadonlySet<ErrorCode> = new Set(["unavailable", "outcome_unknown"]);

/**
 * Processes each of several items. A failure does not stop the rest, unless the rest would fail for the same reason;
 * an interruption does, and an unexpected error by default.
 */
export async function processEach<I, R>(
  items: readonly I[],
  options: ProcessOptions<I, R>,
): Promise<Processed<R>> {
  const { counts = () => true, work } = options;
  const attempts = await runAll(items, work, options);
  const counted = attempts.filter(({ result }) => result?.kind !== "done" || counts(result.value));
  const reportFailures: ReportFailures = (adapt = (failure) => failure) => {
    try {
      reportMissing(counted, { ...options, isOnly: items.length === 1 });
    } catch (error) {
      if (!(error instanceof CliError) || error.code === "interrupted") throw error;
      const adapted = adapt(error);
      if (adapted !== null) throw adapted;
    }
  };
  const results = attempts.flatMap(({ result }) => (result?.kind === "done" ? [result.value] : []));
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
  {
    concurrency = CONCURRENCY,
    isSeparate = false,
    onUnexpected = "stop",
  }: Pick<ProcessOptions<I, R>, "concurrency" | "isSeparate" | "onUnexpected"> = {},
): Promise<readonly Attempt<I, R>[]> {
  const attempts = items.map((item): { -readonly [K in keyof Attempt<I, R>]: Attempt<I, R>[K] } => {
    return { item, result: undefined };
  });
  const queue = attempts.values();
  let stopped = false;
  const runNext = async (): Promise<void> => {
    for (const next of queue) {
      const result = await attempt(work, next.item);
      next.result = onUnexpected === "fail" ? asFailed(result) : result;
      const { kind } = next.result;
      stopped ||= kind === "stopped" || (kind === "failed_for_all" && !isSeparate);
      if (stopped) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, runNext));
  return attempts;
}

/**
 * Processes items as they come, several at a time, and gives what came of each, in their order. After an error that stops
 * the rest, what was begun is finished. An outage stops the rest, too: four items in a row for which the service was not
 * available; fewer may be the fault of the items.
 * @throws what reading the items throws
 */
export async function* processInOrder<I, R>(
  items: Iterable<I> | AsyncIterable<I>,
  work: (item: I) => Promise<R>,
): AsyncGenerator<Attempted<I, R>> {
  const begun: Promise<Attempted<I, R>>[] = [];
  let failure: { readonly error: unknown } | null = null;
  let unavailable = 0;
  const judge = (done: Attempted<I, R>): Attempted<I, R> => {
    const { result } = done;
    // Without a request, it is what an earlier run left unknown.
    const isAway =
      result.kind === "failed" && OUTAGE.has(result.error.code) && result.error.request !== undefined;
    unavailable = isAway ? unavailable + 1 : 0;
    if (unavailable < OUTAGE_LENGTH || !isAway) return done;
    return { ...done, result: { ...result, kind: "failed_for_all" } };
  };
  try {
    for await (const item of items) {
      begun.push(attempt(work, item).then((result) => ({ item, result })));
      if (begun.length < CONCURRENCY) continue;
      const next = await begun.shift();
      if (next === undefined) continue;
      const done = judge(next);
      yield done;
      if (done.result.kind === "stopped" || done.result.kind === "failed_for_all") break;
    }
  } catch (error) {
    failure = { error };
  }
  for (const each of begun) yield judge(await each);
  if (failure !== null) throw failure.error;
}

/** An unexpected error as a failure of its item alone. */
function asFailed<R>(result: ItemResult<R>): ItemResult<R> {
  if (result.kind !== "stopped") return result;
  const { error } = result;
  if (error instanceof CliError) return result;
  return { kind: "failed", error: unexpectedError(error) };
}

async function attempt<I, R>(work: (item: I) => Promise<R>, item: I): Promise<ItemResult<R>> {
  try {
    return { kind: "done", value: await work(item) };
  } catch (error) {
    return readFailure(error);
  }
}

/**
 * Reports a failure to read one of several items. All are read before the first is processed, so all are named as not processed.
 * @param item the one that could not be read
 * @throws CliError the failure; an interruption or an unexpected error as it is
 */
export function failUnread<I>(
  error: unknown,
  { item, items, ...texts }: ProcessTexts<I> & { readonly item: I; readonly items: readonly I[] },
): never {
  const failure = readFailure(error);
  if (failure.kind !== "stopped")
    reportMissing(
      items.map((each) => ({ item: each, result: each === item ? failure : undefined })),
      texts,
    );
  throw error;
}

/** What an error of one item means for the others. */
export function readFailure(error: unknown): FailedItem {
  if (!(error instanceof CliError) || error.code === "interrupted") return { kind: "stopped", error };
  return { kind: FAILURES_FOR_ALL.has(error.code) ? "failed_for_all" : "failed", error };
}

/** What came of each of several items, and how stderr says it. */

/** An item, and what came of it; undefined if it was not started. */
interface Attempt<I, R> {
  readonly item: I;
  readonly result: ItemResult<R> | undefined;
}

/** An item that was begun. */
export interface Attempted<I, R> extends Attempt<I, R> {
  readonly result: ItemResult<R>;
}

export type ItemResult<R> = { readonly kind: "done"; readonly value: R } | FailedItem;

type FailedItem =
  /** `failed_for_all`: the rest would fail for the same reason, so it was not started. */
  | { readonly kind: "failed" | "failed_for_all"; readonly error: CliError }
  /** An interruption or an unexpected error: the rest was not started. */
  | { readonly kind: "stopped"; readonly error: unknown };

/** Those that failed, in the order of the items. */
function failuresOf(attempts: readonly Attempt<unknown, unknown>[]): readonly FailedItem[] {
  return attempts.flatMap(({ result }) => (result === undefined || result.kind === "done" ? [] : [result]));
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
