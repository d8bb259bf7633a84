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
    // A run that failed keeps its own error.
    if (exitCode === 0) return await report(error);
  }
  return exitCode;
}

interface Failed {
  readonly host: Host;
  /** Those that were parsed before the error. */
  readonly flags: GlobalFlags;
}

/** Prints the error of a run: one sentence, or JSON with `-o json` and `ndjson`. @returns the exit code */
async function reportFailure(error: unknown, failed: Failed): Promise<number> {
  const known = error instanceof CliError ? error : unexpected(error);
  const text = await describe(known, failed);
  try {
    await failed.host.stderr.write(text);
  } catch {
    // stderr is closed: only the exit code is left.
  }
  return known.exitCode;
}

/** Falls back to the bare message when the report itself fails. */
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
    // Reported without the explanation.
    return error;
  }
}

function unexpected(cause: unknown): CliError {
  return new CliError("failed", `unexpected error: ${textOf(cause)}`, {
    hint: "this is a bug in calctl; --debug shows where",
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
