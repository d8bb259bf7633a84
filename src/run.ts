import type { GlobalFlags } from "./config/run-settings.js";
import { CliError } from "./errors.js";
import type { Host } from "./host/parts.js";
import { sanitizeLine } from "./output/sanitize.js";

/**
 * Runs one command line to its end.
 * @returns the exit code; nothing is thrown
 * @see docs/exit-codes.md
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  let flags: GlobalFlags = {};
  const report = (error: unknown): Promise<number> => reportFailure(error, { host, flags });
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
  readonly host: Host;
  /** As far as the command line could be parsed. */
  readonly flags: GlobalFlags;
}

/** Prints the one error of a run: a sentence, or with `-o json` and `ndjson` a JSON object. */
async function reportFailure(error: unknown, failed: Failed): Promise<number> {
  const known = error instanceof CliError ? error : unexpected(error);
  const text = await describe(known, failed);
  try {
    await failed.host.stderr.write(text);
  } catch {
    // Nobody is left to be told: the exit code remains.
  }
  return known.exitCode;
}

/** Whatever goes wrong with the words of an error, its message is told. */
async function describe(error: CliError, failed: Failed): Promise<string> {
  try {
    const { describeFailure } = await import("./failure-report.js");
    return await describeFailure(await explain(error, failed.host), failed);
  } catch {
    return `error: ${sanitizeLine(error.message)}\n`;
  }
}

async function explain(error: CliError, host: Host): Promise<CliError> {
  try {
    return await host.explain(error);
  } catch {
    // It is told as it is.
    return error;
  }
}

function unexpected(cause: unknown): CliError {
  return new CliError("failed", `something went wrong that should not: ${textOf(cause)}`, {
    hint: "this is a bug of calctl; --debug shows where",
    cause,
  });
}

function textOf(cause: unknown): string {
  try {
    return String(cause instanceof Error ? cause.message : cause);
  } catch {
    return "unknown";
  }
}
