import { Readable } from "node:stream";
import type { ReadableLike } from "../../src/terminal/input.js";
import type { WritableLike } from "../../src/terminal/text-sink.js";

export interface Screen extends WritableLike {
  /** Everything that was written so far. */
  text(): string;
}

/** Records what is written, as a pipe or as a terminal of the given width. */
export function createScreen(terminal?: { readonly columns: number }): Screen {
  let written = "";
  return {
    isTTY: terminal !== undefined,
    columns: terminal?.columns,
    write(text, done) {
      written += typeof text === "string" ? text : Buffer.from(text).toString();
      done();
      return true;
    },
    on: () => undefined,
    text: () => written,
  };
}

/** A stdin that contains a text. */
export function createStdin(text: string, terminal = false): ReadableLike {
  return Object.assign(Readable.from(text === "" ? [] : [Buffer.from(text)]), { isTTY: terminal });
}
