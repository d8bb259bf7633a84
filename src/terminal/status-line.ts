import type { TextSink } from "./text-sink.js";

/** Back to the first column, and the line is empty. */
const CLEAR_LINE = "\r\u001b[2K";

/** A stream on whose last line something passing may stand, such as a countdown. */
export interface StatusSink extends TextSink {
  /** Puts a text, which is to fit into one line, in place of the passing one; null takes that away. For terminals. */
  show(text: string | null): Promise<void>;
}

/** A stream that takes the passing line away before anything else is written. */
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
