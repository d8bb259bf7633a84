import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { ReadableLike } from "./input.js";

/** Lines from a terminal until the signal aborts; the terminal is free for others afterwards. */
export async function* readLines(stdin: ReadableLike, signal: AbortSignal): AsyncGenerator<string> {
  // Without `terminal` Ctrl-C stays a signal.
  const lines = createInterface({ input: stdin as Readable, terminal: false, signal });
  try {
    for await (const line of lines) yield line;
  } finally {
    lines.close();
  }
}
