import { CliError } from "../errors.js";

export interface CollectOptions<I, R> {
  /** What one item is called: `event`, `calendar`. */
  readonly noun: string;
  /** What is done to it, as in "could not be read". */
  readonly verb: string;
  /** How messages name one item. */
  readonly name: (item: I) => string;
  readonly work: (item: I) => Promise<R>;
  readonly warn: (text: string) => void;
}

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

/** Does the same to each of several items; what fails does not stop the rest, an interruption does. */
export async function collectEach<I, R>(
  items: readonly I[],
  { noun, verb, name, work, warn }: CollectOptions<I, R>,
): Promise<Collected<R>> {
  const results: R[] = [];
  const failures: Failure[] = [];
  for (const item of items) {
    try {
      results.push(await work(item));
    } catch (error) {
      if (error instanceof CliError && error.code !== "interrupted") {
        failures.push({ name: name(item), error });
        continue;
      }
      // What was done by then is printed all the same.
      return { results, finish: () => rethrow(error) };
    }
  }
  return {
    results,
    finish() {
      const [first] = failures;
      if (first === undefined) return;
      if (items.length === 1) throw first.error;
      for (const failure of failures)
        warn(`${noun} ${failure.name} could not be ${verb}: ${failure.error.message}`);
      throw results.length === 0
        ? failedAlike(first.error, failures)
        : partial(failures, `${results.length} of ${items.length} ${noun}s were ${verb}`);
    },
  };
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
