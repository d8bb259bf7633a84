import type { GlobalFlags } from "../config/run-settings.js";
import { CliError } from "../errors.js";
import type { Host } from "../host/run.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { FailedRun } from "./failure-report.js";

/**
 * Runs one command line to its end.
 * @returns the exit code; nothing is thrown
 * @see docs/exit-codes.md
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  let flags: GlobalFlags = {};
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
    exitCode = await reportFailure(error, { host, flags });
  }
  try {
    await host.close();
  } catch (error) {
    // If the run failed, only its own error is reported.
    if (exitCode === 0) return await reportFailure(error, { host, flags });
  }
  return exitCode;
}

/** Prints the error of a run: one sentence, or JSON with `-o json` and `ndjson`. @returns the exit code */
async function reportFailure(error: unknown, failed: FailedRun): Promise<number> {
  const known = error instanceof CliError ? error : unexpectedError(error);
  const text = await renderReport(known, failed);
  try {
    await failed.host.stderr.write(text);
  } catch {
    // stderr is closed: only the exit code can be reported.
  }
  return known.exitCode;
}

/** Falls back to the bare message when the report itself fails. */
async function renderReport(error: CliError, failed: FailedRun): Promise<string> {
  try {
    const { describeFailure } = await import("./failure-report.js");
    return await describeFailure(error, failed);
  } catch {
    return `error: ${sanitizeLine(error.message)}\n`;
  }
}

function unexpectedError(cause: unknown): CliError {
  return new CliError("failed", `unexpected error: ${messageOf(cause)}`, {
    hint: "this is a bug in calctl; --debug shows where",
    cause,
  });
}

function messageOf(cause: unknown): string {
  try {
    return String(cause instanceof Error ? cause.message : cause);
  } catch {
    return "unknown";
  }
}
