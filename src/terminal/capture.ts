import type { WritableLike } from "./text-sink.js";

/** A stream that keeps what is written to it. */
export type Capture = WritableLike & { text(): string };

/** @param terminal the terminal that it stands for; none by default */
export function createCapture(terminal?: { readonly columns: number }): Capture {
  let captured = "";
  return {
    isTTY: terminal !== undefined,
    columns: terminal?.columns,
    write(text, done) {
      captured += text;
      done();
      return true;
    },
    on: () => undefined,
    text: () => captured,
  };
}
