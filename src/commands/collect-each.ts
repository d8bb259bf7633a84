import { CliError, type ErrorCode } from "../errors.js";
import { type CollectWords, type Outcome, reportMissing } from "./collect-report.js";

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
