import type { TextSink } from "./text-sink.js";

/** Moves to the first column and clears the line. */
const CLEAR_LINE = "\r\u001b[2K";

/** A stream with a temporary last line, such as a countdown. */
export interface StatusSink extends TextSink {
  /** Replaces the temporary line, which must fit on one line; null clears it. Only for terminals. */
  show(text: string | null): Promise<void>;
}

/** Adds a temporary line, which is cleared before anything else is written. */
export function withStatusLine(sink: TextSink): StatusSink {
  let shown = false;
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
    get isClosed() {
      return sink.isClosed;
    },
    write(text) {
      const clear = shown && text !== "" ? CLEAR_LINE : "";
      if (clear !== "") shown = false;
      return sink.write(`${clear}${text}`);
    },
    show(text) {
      if (text === null && !shown) return Promise.resolve();
      shown = text !== null;
      return sink.write(`${CLEAR_LINE}${text ?? ""}`);
    },
  };
}
