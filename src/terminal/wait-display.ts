import type { OnWait, WaitNotice } from "../api/sending/rate-limiter.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { StatusSink } from "./status-line.js";

/** Longest sleep in milliseconds: a countdown shows seconds. */
const MAX_SLEEP = { terminal: 1000, elsewhere: 60_000 };

export interface WaitDisplay {
  readonly onWait: OnWait;
  /** How often notices of a long wait are needed, in milliseconds. */
  readonly maxSleep: number;
}

/** Shows waits on stderr: a countdown on a terminal, one line elsewhere, nothing with `--quiet`. */
export function createWaitDisplay(stderr: StatusSink, quiet: boolean): WaitDisplay {
  const write = (text: string): void => {
    if (!quiet) stderr.write(`${text}\n`).catch(() => undefined);
  };
  const show = (text: string | null): void => {
    if (!quiet) stderr.show(text).catch(() => undefined);
  };
  const { isTerminal } = stderr;
  return {
    maxSleep: isTerminal ? MAX_SLEEP.terminal : MAX_SLEEP.elsewhere,
    onWait(notice) {
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
