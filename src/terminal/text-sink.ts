import { CliError, errorCodeOf } from "../errors.js";
import type { Clock } from "../system/clock.js";

/** What is used of a Node writable stream. */
export interface WritableLike {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** One of the streams that the program writes to. */
export interface TextSink {
  readonly isTerminal: boolean;
  /** Width of the terminal; undefined when it is none. */
  readonly columns: number | undefined;
  /**
   * Resolves when the stream has taken the text, or when nobody reads it any more.
   * @throws CliError failed when it could not be written, interrupted when a signal came before it was
   */
  write(text: string): Promise<void>;
  /** Whether a write was given up, and the stream has not taken it yet. */
  readonly isStuck: boolean;
}

export interface TextSinkOptions {
  /** Gives the stream; Node makes its standard streams when they are first touched, which takes time. */
  readonly open: () => WritableLike;
  /** As messages name it. */
  readonly name: string;
  /** What ends a write that nobody reads; undefined while nothing listens for signals. */
  readonly interruption: () => AbortSignal | undefined;
  readonly sleep: Clock["sleep"];
}

/** How long a write that begins after the interruption may take, in milliseconds. */
const LAST_WORDS = 1_000;

/** A stream that a reader may close at any time: what comes after that is dropped in silence. */
export function createTextSink({ open, name, interruption, sleep }: TextSinkOptions): TextSink {
  let closed = false;
  let stuck = false;
  let opened: WritableLike | undefined;
  const stream = (): WritableLike => {
    if (opened === undefined) {
      opened = open();
      // Without a listener a late EPIPE would end the process with a stack trace.
      opened.on("error", () => {
        closed = true;
      });
    }
    return opened;
  };
  return {
    get isTerminal() {
      return stream().isTTY === true;
    },
    get columns() {
      return stream().columns;
    },
    get isStuck() {
      return stuck;
    },
    write(text) {
      if (closed || text === "") return Promise.resolve();
      return new Promise((resolve, reject) => {
        let taken = false;
        const signal = interruption();
        const wait = waitInVain(signal, sleep, () => {
          if (taken) return;
          stuck = true;
          reject(signal?.reason);
        });
        stream().write(text, (error) => {
          taken = true;
          wait.end();
          // What came before it has been taken, too.
          stuck = false;
          if (error === undefined || error === null || errorCodeOf(error) === "EPIPE") resolve();
          else reject(writeError(error, name));
        });
      });
    },
  };
}

/** Gives a write up when the signal aborts, or in a while when it has: then what was done is still to be told. */
function waitInVain(
  signal: AbortSignal | undefined,
  sleep: Clock["sleep"],
  giveUp: () => void,
): { readonly end: () => void } {
  if (signal?.aborted !== true) {
    signal?.addEventListener("abort", giveUp, { once: true });
    return { end: () => signal?.removeEventListener("abort", giveUp) };
  }
  const over = new AbortController();
  sleep(LAST_WORDS, over.signal).then(giveUp, () => undefined);
  return { end: () => over.abort() };
}

/** A stream that gets every text masked. */
export function maskedSink(sink: TextSink, mask: (text: string) => string): TextSink {
  return {
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    get isStuck() {
      return sink.isStuck;
    },
    write: (text) => sink.write(mask(text)),
  };
}

function writeError(error: Error, name: string): CliError {
  return new CliError("failed", `${name} could not be written (${errorCodeOf(error) ?? error.message})`, {
    cause: error,
  });
}
