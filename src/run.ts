import type { GlobalFlags } from "./context.js";
import { CliError } from "./errors.js";
import type { Host } from "./host.js";

/**
 * Runs one command line to its end.
 * @returns the exit code; nothing is thrown
 * @see docs/exit-codes.md
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  let flags: GlobalFlags | undefined;
  const report = (error: unknown): Promise<number> => reportFailure(error, { argv, host, flags });
  let exitCode: number;
  try {
    const { runProgram } = await import("./program.js");
    exitCode = await runProgram(argv, host, {
      run,
      onFlags: (parsed) => {
        flags = parsed;
      },
    });
  } catch (error) {
    exitCode = await report(error);
  }
  try {
    await host.close();
  } catch (error) {
    // A run that has failed keeps its own error.
    if (exitCode === 0) return await report(error);
  }
  return exitCode;
}

interface Failed {
  readonly argv: readonly string[];
  readonly host: Host;
  /** Undefined when the command line could not be parsed. */
  readonly flags: GlobalFlags | undefined;
}

/** Prints the one error of a run: a sentence, or with `-o json` and `ndjson` a JSON object. */
async function reportFailure(error: unknown, failed: Failed): Promise<number> {
  const known = error instanceof CliError ? await failed.host.explain(error) : unexpected(error);
  const { describeFailure } = await import("./failure-report.js");
  try {
    await failed.host.stderr.write(await describeFailure(known, failed));
  } catch {
    // Nobody is left to be told: the exit code remains.
  }
  return known.exitCode;
}

function unexpected(cause: unknown): CliError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CliError("failed", `something went wrong that should not: ${message}`, {
    hint: "this is a bug of calctl; --debug shows where",
    cause,
  });
}
