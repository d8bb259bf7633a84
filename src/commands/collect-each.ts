import { CliError, type ErrorCode } from "../errors.js";

export interface CollectOptions<I, R> {
  /** What one item is called: `event`, `calendar`. */
  readonly noun: string;
  /** What is done to it, as in "could not be read". */
  readonly verb: string;
  /** How messages name one item. */
  readonly name: (item: I) => string;
  readonly work: (item: I) => Promise<R>;
  readonly warn: (text: string) => void;
  /** How many at a time; several for what only reads. */
  readonly atOnce?: number;
}

/** How many requests run side by side. */
const READS_AT_ONCE = 4;

export interface Collected<R> {
  /** What was done, in the order of the items. */
  readonly results: readonly R[];
  /**
   * To be called once the results are printed.
   * @throws CliError the first failure when nothing was done, partial when some was
   */
  finish(): void;
}

interface Failure {
  readonly name: string;
  readonly error: CliError;
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
  const { outcomes, stopped } = await workOff(items, options);
  const results = outcomes.flatMap((outcome) => (outcome?.kind === "done" ? [outcome.result] : []));
  // What was done by then is printed all the same.
  if (stopped !== null) return { results, finish: () => rethrow(stopped.error) };
  return { results, finish: () => finish(items, { ...options, outcomes, done: results.length }) };
}

type Outcome<R> =
  | { readonly kind: "done"; readonly result: R }
  | { readonly kind: "failed"; readonly error: CliError };

interface WorkedOff<R> {
  /** By item; undefined for one that was not begun. */
  readonly outcomes: readonly (Outcome<R> | undefined)[];
  /** What ended the work as a whole; null when nothing did. */
  readonly stopped: { readonly error: unknown } | null;
}

async function workOff<I, R>(
  items: readonly I[],
  { work, atOnce = READS_AT_ONCE }: CollectOptions<I, R>,
): Promise<WorkedOff<R>> {
  const outcomes: (Outcome<R> | undefined)[] = items.map(() => undefined);
  const queue = items.entries();
  let stopped: { readonly error: unknown } | null = null;
  let shared = false;
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        outcomes[index] = { kind: "done", result: await work(item) };
      } catch (error) {
        if (error instanceof CliError && error.code !== "interrupted") {
          outcomes[index] = { kind: "failed", error };
          shared ||= SHARED_FAILURES.has(error.code);
        } else stopped ??= { error };
      }
      if (shared || stopped !== null) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, takeTurns));
  return { outcomes, stopped };
}

interface Finished<I, R> extends CollectOptions<I, R>, Pick<WorkedOff<R>, "outcomes"> {
  readonly done: number;
}

function finish<I, R>(items: readonly I[], { noun, verb, name, warn, outcomes, done }: Finished<I, R>): void {
  const first = outcomes.find((outcome) => outcome?.kind === "failed");
  if (first?.kind !== "failed") return;
  if (items.length === 1) throw first.error;
  const failures = items.flatMap((item, index): readonly Failure[] => {
    const outcome = outcomes[index];
    if (outcome?.kind === "done") return [];
    return [{ name: name(item), error: outcome?.error ?? first.error }];
  });
  for (const { name: failed, error } of failures) {
    warn(`${noun} ${failed} could not be ${verb}: ${error.message}`);
  }
  throw done === 0
    ? failedAlike(first.error, failures)
    : partial(failures, `${done} of ${items.length} ${noun}s were ${verb}`);
}

function rethrow(error: unknown): never {
  throw error;
}

/** The first failure's own error, with all of them in its details. */
function failedAlike(first: CliError, failures: readonly Failure[]): CliError {
  return new CliError(first.code, `none of ${failures.length}: ${first.message}`, {
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    ...(first.status === undefined ? {} : { status: first.status }),
    ...(first.request === undefined ? {} : { request: first.request }),
    details: failedDetails(failures),
    cause: first,
  });
}

function partial(failures: readonly Failure[], message: string): CliError {
  return new CliError("partial", `${message}, not: ${failures.map(({ name }) => name).join(", ")}`, {
    details: failedDetails(failures),
  });
}

function failedDetails(failures: readonly Failure[]) {
  return {
    failed: failures.map(({ name, error }) => ({ id: name, code: error.code, message: error.message })),
  };
}
