import { setMaxListeners } from "node:events";
import { CliError } from "../errors.js";
import { yieldToEventLoop } from "../system/clock.js";

export type TerminationSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** The part of the process that handles signals. */
export interface SignalSource {
  readonly pid: number;
  once(signal: TerminationSignal, listener: () => void): unknown;
  kill(pid: number, signal: TerminationSignal): unknown;
}

const SIGNALS: readonly TerminationSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The listeners of a process. */
export interface SignalListeners {
  rawListeners(signal: TerminationSignal): readonly unknown[];
  removeAllListeners(signal: TerminationSignal): unknown;
  /** SIGCONT comes after Ctrl-Z, when the program goes on. */
  on(signal: TerminationSignal | "SIGCONT", listener: () => void): unknown;
  off(signal: TerminationSignal | "SIGCONT", listener: () => void): unknown;
}

/** Does work during which SIGINT has no effect, since Ctrl-C is for a program that has the terminal meanwhile. */
export async function ignoreInterrupt<T>(source: SignalListeners, work: () => Promise<T>): Promise<T> {
  const suspended = source.rawListeners("SIGINT").filter(isListener);
  const ignore = (): void => undefined;
  // There is a listener at any time: without one, the signal ends the process.
  source.on("SIGINT", ignore);
  for (const listener of suspended) source.off("SIGINT", listener);
  try {
    return await work();
  } finally {
    // A signal that came with the end of the program may be heard of after it.
    await yieldToEventLoop();
    for (const listener of suspended) source.on("SIGINT", listener);
    source.off("SIGINT", ignore);
  }
}

/** Does work during which no listener could run: signals have their default effect, which ends the process. */
export function withDefaultSignals<T>(source: SignalListeners, work: () => T): T {
  const suspended = SIGNALS.map((signal) => [signal, source.rawListeners(signal)] as const);
  for (const signal of SIGNALS) source.removeAllListeners(signal);
  try {
    return work();
  } finally {
    for (const [signal, listeners] of suspended) {
      for (const listener of listeners) if (isListener(listener)) source.on(signal, listener);
    }
  }
}

function isListener(value: unknown): value is () => void {
  return typeof value === "function";
}

/**
 * The same signal in this time (ms) is a duplicate of the first one: timeout(1) and npm send it to the process and to
 * its group.
 */
const DUPLICATE_TIME = 500;

/**
 * An abort signal for SIGINT, SIGTERM and SIGHUP; its reason is a CliError. Only the first one is handled: a second one of any
 * kind, such as Ctrl-C again, has Node's default effect and ends the process.
 * @param now milliseconds since the Unix epoch
 */
export function createInterruptSignal(source: SignalSource, now: () => number): AbortSignal {
  const controller = new AbortController();
  // Every line that is being written listens, and a command may print many at once.
  setMaxListeners(0, controller.signal);
  let first = 0;
  const endProcess = (signal: TerminationSignal): void => {
    // Without a listener it ends the process.
    if (now() - first >= DUPLICATE_TIME) source.kill(source.pid, signal);
  };
  const handle = (signal: TerminationSignal, reason: CliError): void => {
    source.once(signal, () => {
      if (controller.signal.aborted) return endProcess(signal);
      first = now();
      source.once(signal, () => endProcess(signal));
      controller.abort(reason);
    });
  };
  handle("SIGINT", new CliError("interrupted", "interrupted"));
  handle("SIGTERM", new CliError("interrupted", "terminated", { exitCode: 143 }));
  handle("SIGHUP", new CliError("interrupted", "hung up", { exitCode: 129 }));
  return controller.signal;
}
