import type { OnPause, Pause } from "../api/sending/rate-limiter.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { StatusSink } from "./status-line.js";

/** Between two looks at the clock, in milliseconds: a countdown shows seconds. */
const SLICE = { terminal: 1000, elsewhere: 60_000 };

export interface PauseDisplay {
  readonly onPause: OnPause;
  /** How often a wait is told anew, in milliseconds. */
  readonly slice: number;
}

/** Says on stderr why nothing happens: a countdown on a terminal, one line elsewhere, nothing with `--quiet`. */
export function createPauseDisplay(stderr: StatusSink, quiet: boolean): PauseDisplay {
  const write = (text: string): void => {
    if (!quiet) stderr.write(`${text}\n`).catch(() => undefined);
  };
  const show = (text: string | null): void => {
    if (!quiet) stderr.show(text).catch(() => undefined);
  };
  const { isTerminal } = stderr;
  return {
    slice: isTerminal ? SLICE.terminal : SLICE.elsewhere,
    onPause(pause) {
      switch (pause.kind) {
        case "repeat":
          write(sanitizeLine(describeRepeat(pause)));
          break;
        case "rate_limit":
          if (isTerminal) show(describeCountdown(pause.left, stderr.columns));
          else if (pause.begins) write(describeWait(pause.left));
          break;
        case "rate_limit_over":
          if (isTerminal) show(null);
      }
    },
  };
}

function describeRepeat({ request, reason, delay, repeat, repeats }: Pause & { kind: "repeat" }): string {
  const seconds = (delay / 1000).toFixed(1);
  return `${request}: ${reason}; trying again in ${seconds} s (${repeat} of ${repeats})`;
}

/** As much as fits into one line: of one that wraps only the end would be taken away again. */
function describeCountdown(left: number, columns = Number.POSITIVE_INFINITY): string {
  const short = `waiting ${secondsOf(left)}`;
  const texts = [`${describeWait(left)}, Ctrl-C ends it`, describeWait(left), `rate limit: ${short}`, short];
  return texts.find((text) => text.length < columns) ?? secondsOf(left);
}

function describeWait(left: number): string {
  return `the service's rate limit is used up: waiting ${secondsOf(left)}`;
}

function secondsOf(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}
