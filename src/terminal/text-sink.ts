import { CliError, errorCodeOf, fileProblemOf } from "../errors.js";
import type { Clock } from "../system/clock.js";

/** The part of a Node writable stream that the program uses. */
export interface WritableLike {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string | Uint8Array, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** An output stream of the program. */
export type TextSink = ReturnType<typeof createTextSink>;

export interface TextSinkOptions {
  /** Returns the stream. Called late, since Node creates a standard stream on first access, which takes time. */
  readonly open: () => WritableLike;
  readonly name: string;
  /** Ends a write that is not read; undefined while no signals are handled. */
  readonly interruption: () => AbortSignal | undefined;
  readonly sleep: Clock["sleep"];
  /** Replaces secrets in every text; none by default. */
  readonly mask?: (text: string) => string;
}

/** For a write that begins after the interruption (ms). */
const FINAL_WRITE_TIMEOUT = 1_000;

/** Moves to the first column and clears the line. */
const CLEAR_LINE = "\r\u001b[2K";

/**
 * A stream that its reader may close at any time: later writes are dropped without an error. On a terminal it can have a
 * temporary last line, such as a countdown, which is cleared before anything else is written.
 */
export function createTextSink({ open, name, interruption, sleep, mask }: TextSinkOptions) {
  let closed = false;
  let stuck = false;
  let hasLine = false;
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
  const send = (data: string | Uint8Array): Promise<void> => {
    if (closed || data.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      let isWritten = false;
      const signal = interruption();
      const stopWaiting = abandonOnAbort(signal, sleep, () => {
        if (isWritten) return;
        stuck = true;
        reject(signal?.reason);
      });
      stream().write(typeof data === "string" ? (mask?.(data) ?? data) : data, (error) => {
        isWritten = true;
        stopWaiting();
        // Writes finish in order, so earlier ones have finished, too.
        stuck = false;
        const isBroken = errorCodeOf(error) === "EPIPE";
        closed ||= isBroken;
        if (error === undefined || error === null || isBroken) resolve();
        else reject(writeError(error, name));
      });
    });
  };
  return {
    get isTerminal() {
      return stream().isTTY === true;
    },
    /** Width of the terminal; undefined when it is not one. */
    get columns() {
      return stream().columns;
    },
    /** Lines of the terminal; undefined when it is not one. */
    get rows() {
      return stream().rows;
    },
    /** Whether a write was interrupted and has not finished yet. */
    get isStuck() {
      return stuck;
    },
    /** Whether its reader has closed it: nothing more is written. */
    get isClosed() {
      return closed;
    },
    /**
     * Writes text, or bytes as they are. Resolves when they are written, or when the reader has closed the stream.
     * @throws CliError failed when they could not be written, interrupted when a signal came first
     */
    write(data: string | Uint8Array): Promise<void> {
      if (!hasLine || data.length === 0) return send(data);
      hasLine = false;
      return send(`${CLEAR_LINE}${data}`);
    },
    /** Replaces the temporary line, which must fit on one line; null clears it. Only for terminals. */
    show(text: string | null): Promise<void> {
      if (text === null && !hasLine) return Promise.resolve();
      hasLine = text !== null;
      return send(`${CLEAR_LINE}${text ?? ""}`);
    },
  };
}

/**
 * Abandons a write when the signal aborts; if it already has, after a timeout, so that the error can be written.
 * @returns cancels it
 */
function abandonOnAbort(
  signal: AbortSignal | undefined,
  sleep: Clock["sleep"],
  abandon: () => void,
): () => void {
  if (signal?.aborted !== true) {
    signal?.addEventListener("abort", abandon, { once: true });
    return () => signal?.removeEventListener("abort", abandon);
  }
  const timer = new AbortController();
  sleep(FINAL_WRITE_TIMEOUT, timer.signal).then(abandon, () => undefined);
  return () => timer.abort();
}

function writeError(error: Error, name: string): CliError {
  const reason = errorCodeOf(error) === undefined ? error.message : fileProblemOf(error);
  return new CliError("failed", `${name} could not be written (${reason})`, { cause: error });
}
