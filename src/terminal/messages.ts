import type { RunSettings } from "../config/run-settings.js";
import { stackTrace } from "../output/error-report.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { TextSink } from "./text-sink.js";

/** What a run says on stderr beside its error. A failed write must not change the exit code. */
export interface Messages {
  /** Not with `--quiet`. */
  note(text: string): void;
  warn(text: string): void;
  /** One entry of `--verbose` or `--debug`. */
  trace(lines: readonly string[]): void;
  /** The stack trace of an error that is not the run's own, with `--debug`. */
  debug(error: unknown): void;
  /** Part of the log of a service, as it is. Resolves when it has been read, or cannot be. */
  log(text: string): Promise<void>;
}

export function createMessages(
  stderr: TextSink,
  { quiet, debug }: Pick<RunSettings, "quiet" | "debug">,
): Messages {
  const log = (text: string): Promise<void> => stderr.write(text).catch(() => undefined);
  const warn = (text: string): void => void log(`${sanitizeLine(text)}\n`);
  return {
    log,
    warn,
    note: (text) => {
      if (!quiet) warn(text);
    },
    trace: (lines) => void log(`${lines.map(sanitizeLine).join("\n")}\n`),
    debug: (error) => {
      if (debug) void log(`${stackTrace(error)}\n`);
    },
  };
}
