import { CliError, type ErrorCode, unexpectedError } from "../errors.js";
import {
  type Attempt,
  type Attempted,
  type FailedItem,
  failuresOf,
  type ItemResult,
  type ProcessTexts,
  reportMissing,
} from "./item-report.js";

export interface ProcessOptions<I, R> extends ProcessTexts<I> {
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
export interface Processed<R> {
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
