import { describe, expect, test } from "vitest";
import { createTextSink } from "../../src/terminal/text-sink.js";

type Done = (error?: Error | null) => void;

/** A stream whose writes, and a clock whose sleeps, end when the test says so. */
function createStuckStream() {
  const pending: Done[] = [];
  const texts: string[] = [];
  const listeners: ((error: Error) => void)[] = [];
  const sleeps: { readonly milliseconds: number; readonly signal: AbortSignal; readonly over: () => void }[] =
    [];
  const controller = new AbortController();
  const sink = createTextSink({
    open: () => ({
      write(text, done) {
        texts.push(String(text));
        pending.push(done);
        return false;
      },
      on: (_, listener) => listeners.push(listener),
    }),
    name: "stdout",
    interruption: () => controller.signal,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => sleeps.push({ milliseconds, signal, over: resolve })),
  });
  return {
    sink,
    texts,
    sleeps,
    interrupt: () => controller.abort(REASON),
    take: (error?: Error) => pending.shift()?.(error),
    fail: (error: Error) => {
      for (const listener of listeners) listener(error);
    },
  };
}

const REASON = new Error("interrupted");
const withCode = (code: string) => Object.assign(new Error("no"), { code });

describe("a stream whose reader has closed it", () => {
  test("ignores writes", async () => {
    const { sink, take } = createStuckStream();
    const written = sink.write("a");
    take(withCode("EPIPE"));
    await expect(written).resolves.toBeUndefined();
  });

  test("is not written to again", async () => {
    const { sink, fail, take, texts } = createStuckStream();
    const written = sink.write("a");
    take();
    await written;
    fail(withCode("EPIPE"));
    await sink.write("b");
    expect(texts).toEqual(["a"]);
  });
});

test("a write error names the stream", async () => {
  const { sink, take } = createStuckStream();
  const written = sink.write("a");
  take(withCode("ENOSPC"));
  await expect(written).rejects.toMatchObject({
    code: "failed",
    message: "stdout could not be written (no space left on device)",
  });
});

describe("an interruption", () => {
  test("ends a write that is not read", async () => {
    const { sink, interrupt } = createStuckStream();
    const written = sink.write("a");
    interrupt();
    await expect(written).rejects.toBe(REASON);
    expect(sink.isStuck).toBe(true);
  });

  test("does not affect a finished write", async () => {
    const { sink, interrupt, take } = createStuckStream();
    const written = sink.write("a");
    take();
    interrupt();
    await written;
    expect(sink.isStuck).toBe(false);
  });

  test("does not prevent a later write", async () => {
    const { sink, interrupt, take, sleeps } = createStuckStream();
    interrupt();
    const written = sink.write("a");
    take();
    await written;
    for (const { over } of sleeps) over();
    expect(sink.isStuck).toBe(false);
    // No timer is left that would keep the process alive.
    expect(sleeps.map(({ signal }) => signal.aborted)).toEqual([true]);
  });

  test("gives a later write one second", async () => {
    const { sink, interrupt, sleeps } = createStuckStream();
    interrupt();
    const written = sink.write("a");
    expect(sleeps.map(({ milliseconds }) => milliseconds)).toEqual([1000]);
    sleeps[0]?.over();
    await expect(written).rejects.toBe(REASON);
    expect(sink.isStuck).toBe(true);
  });

  test("a stream whose write finishes late is no longer stuck", async () => {
    const { sink, interrupt, take } = createStuckStream();
    const written = sink.write("a");
    interrupt();
    await expect(written).rejects.toBe(REASON);
    const last = sink.write("b");
    take();
    take();
    await last;
    expect(sink.isStuck).toBe(false);
  });
});
