import { CliError } from "./errors.js";
import type { Host } from "./host.js";

/**
 * Runs one command line to its end.
 * @returns the exit code; nothing is thrown
 * @see docs/exit-codes.md
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  try {
    return await attempt(argv, host);
  } catch (error) {
    return await report(error, argv, host);
  }
}

async function attempt(argv: readonly string[], host: Host): Promise<number> {
  try {
    const { runProgram } = await import("./program.js");
    return await runProgram(argv, host, run);
  } finally {
    await host.close();
  }
}

/** Prints the one error of a run: a sentence, or with `-o json` and `ndjson` a JSON object. */
async function report(error: unknown, argv: readonly string[], host: Host): Promise<number> {
  const known = error instanceof CliError ? error : unexpected(error);
  const { describeFailure } = await import("./failure-report.js");
  try {
    await host.stderr.write(await describeFailure(known, argv, host));
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
