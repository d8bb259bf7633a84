import type { WaitNotice } from "../api/sending/rate-limit.js";
import type { RunSettings } from "../config/run-settings.js";
import { sanitizeLine } from "../output/sanitize.js";
import { inCharset, isUnicodeLocale } from "../output/style.js";
import type { TextSink } from "./text-sink.js";

/** What a run says on stderr beside its error. */
export type Messages = ReturnType<typeof createMessages>;

interface MessageDependencies {
  readonly stderr: TextSink;
  /** Its locale says what a terminal shows. */
  readonly process: Parameters<typeof isUnicodeLocale>[0];
}

/** A failed write must not change the exit code. */
export function createMessages(
  { stderr, process }: MessageDependencies,
  { quiet, debug }: Pick<RunSettings, "quiet" | "debug">,
) {
  const log = (text: string): Promise<void> => stderr.write(text).catch(() => undefined);
  const warn = (text: string): void => {
    const line = sanitizeLine(text);
    const shown = stderr.isTerminal
      ? breakWords(inCharset(line, { unicode: isUnicodeLocale(process) }), stderr.columns)
      : line;
    void log(`${shown}\n`);
  };
  return {
    /** Part of the log of a service, as it is. Resolves when it has been read, or cannot be. */
    log,
    warn,
    /** Not with `--quiet`. */
    note: (text: string): void => {
      if (!quiet) warn(text);
    },
    /** One entry of `--verbose` or `--debug`. */
    trace: (lines: readonly string[]) => void log(`${lines.map(sanitizeLine).join("\n")}\n`),
    /** The stack trace of an error that is not the run's own, with `--debug`. */
    async debug(error: unknown): Promise<void> {
      if (!debug) return;
      const { stackTrace } = await import("../output/error-report.js");
      await log(`${stackTrace(error)}\n`);
    },
  };
}

/**
 * Breaks a line between words, without the widths of characters, which take 8 ms to load. Commands and paths are for
 * copying and stay in one piece, and an indented line has its layout.
 */
function breakWords(line: string, columns: number | undefined): string {
  if (columns === undefined || line.length <= columns || /^ |calctl | \//.test(line)) return line;
  return line.replace(new RegExp(`(\\S.{0,${columns - 1}})(?: |$)`, "g"), "$1\n").trimEnd();
}

/** Longest sleep in milliseconds: a countdown shows seconds. */
const MAX_SLEEP = { terminal: 1000, elsewhere: 60_000 };

/** Shows waits on stderr: a countdown on a terminal, one line elsewhere, nothing with `--quiet`. */
export function createWaitDisplay(stderr: TextSink, quiet: boolean) {
  const write = (text: string): void => {
    if (!quiet) stderr.write(`${text}\n`).catch(() => undefined);
  };
  const show = (text: string | null): void => {
    if (!quiet) stderr.show(text).catch(() => undefined);
  };
  const { isTerminal } = stderr;
  return {
    /** How often notices of a long wait are needed, in milliseconds. */
    maxSleep: isTerminal ? MAX_SLEEP.terminal : MAX_SLEEP.elsewhere,
    onWait(notice: WaitNotice): void {
      switch (notice.kind) {
        case "retry":
          write(sanitizeLine(describeRetry(notice)));
          break;
        case "rate_limit":
          if (isTerminal) show(describeCountdown(notice.remaining, stderr.columns));
          else if (notice.first) write(describeWait(notice.remaining));
          break;
        case "rate_limit_over":
          if (isTerminal) show(null);
      }
    },
  };
}

function describeRetry({ request, reason, delay, retry, retries }: WaitNotice & { kind: "retry" }): string {
  return `${request}: ${reason}; retrying in ${(delay / 1000).toFixed(1)} s (${retry} of ${retries})`;
}

/** The longest text that fits on one line: a wrapped line could not be erased completely. */
function describeCountdown(remaining: number, columns = Number.POSITIVE_INFINITY): string {
  const wait = describeWait(remaining);
  const texts = [`${wait}, Ctrl-C to cancel`, wait, `waiting ${inSeconds(remaining)}`];
  return texts.find((text) => text.length < columns) ?? inSeconds(remaining);
}

function describeWait(remaining: number): string {
  return `rate limit reached: waiting ${inSeconds(remaining)}`;
}

function inSeconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}
