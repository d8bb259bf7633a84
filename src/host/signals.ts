import { CliError } from "../errors.js";

/** What is used of the process for signals. */
export interface SignalSource {
  once(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/**
 * A signal that aborts with the interruption as its reason. Each of SIGINT and SIGTERM is taken once:
 * a second Ctrl-C meets Node's default and ends the process at once.
 */
export function createInterruption(source: SignalSource): AbortSignal {
  const controller = new AbortController();
  source.once("SIGINT", () => controller.abort(new CliError("interrupted", "interrupted")));
  source.once("SIGTERM", () =>
    controller.abort(new CliError("interrupted", "terminated", { exitCode: 143 })),
  );
  return controller.signal;
}
