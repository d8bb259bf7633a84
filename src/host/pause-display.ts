import type { OnPause, Pause } from "../api/sending/pauses.js";
import { sanitizeLine } from "../output/sanitize.js";
import type { TextSink } from "./text-sink.js";

/** Between two looks at the clock, in milliseconds: a countdown shows seconds. */
const SLICE = { terminal: 1000, elsewhere: 60_000 };

/** Back to the first column, and the line is empty. */
const CLEAR_LINE = "\r\u001b[2K";

export interface PauseDisplay {
  readonly onPause: OnPause;
  /** How often a wait is told anew, in milliseconds. */
  readonly slice: number;
}

/** Says on stderr why nothing happens: a countdown on a terminal, one line elsewhere, nothing with `--quiet`. */
export function createPauseDisplay(stderr: TextSink, quiet: boolean): PauseDisplay {
  const write = (text: string): void => {
    if (!quiet) stderr.write(text).catch(() => undefined);
  };
  const { isTerminal } = stderr;
  return {
    slice: isTerminal ? SLICE.terminal : SLICE.elsewhere,
    onPause(pause) {
      switch (pause.kind) {
        case "repeat":
          write(`${sanitizeLine(describeRepeat(pause))}\n`);
          break;
        case "rate_limit":
          if (isTerminal) write(`${CLEAR_LINE}${describeWait(pause.left)}, Ctrl-C ends it`);
          else if (pause.begins) write(`${describeWait(pause.left)}\n`);
          break;
        case "rate_limit_over":
          if (isTerminal) write(CLEAR_LINE);
      }
    },
  };
}

function describeRepeat({ request, reason, delay, repeat, repeats }: Pause & { kind: "repeat" }): string {
  const seconds = (delay / 1000).toFixed(1);
  return `${request}: ${reason}; trying again in ${seconds} s (${repeat} of ${repeats})`;
}

function describeWait(left: number): string {
  return `the service's rate limit is used up: waiting ${Math.ceil(left / 1000)} s`;
}
