import { CliError } from "../errors.js";

type EndingSignal = "SIGINT" | "SIGTERM";

/** What is used of the process for signals. */
export interface SignalSource {
  readonly pid: number;
  once(signal: EndingSignal, listener: () => void): unknown;
  kill(pid: number, signal: EndingSignal): unknown;
}

/**
 * How long the same signal again is still the first one, in milliseconds: timeout(1) and npm send it to the process and
 * to its group.
 */
const ECHO = 500;

/**
 * A signal that aborts with the interruption as its reason. Each of SIGINT and SIGTERM is taken once:
 * a second Ctrl-C meets Node's default and ends the process at once.
 * @param now milliseconds since the Unix epoch
 */
export function createInterruption(source: SignalSource, now: () => number): AbortSignal {
  const controller = new AbortController();
  const take = (signal: EndingSignal, reason: CliError): void => {
    source.once(signal, () => {
      const first = now();
      source.once(signal, () => {
        // Nobody listens any more: it ends the process.
        if (now() - first >= ECHO) source.kill(source.pid, signal);
      });
      controller.abort(reason);
    });
  };
  take("SIGINT", new CliError("interrupted", "interrupted"));
  take("SIGTERM", new CliError("interrupted", "terminated", { exitCode: 143 }));
  return controller.signal;
}
