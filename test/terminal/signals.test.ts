import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { createInterruptSignal, ignoreInterrupt, withDefaultSignals } from "../../src/terminal/signals.js";

/** A process that signals are sent to, and a clock that is set by hand. */
function createProcess() {
  const emitter = new EventEmitter();
  const killed: (readonly [number, string])[] = [];
  let time = 1_000;
  const source = {
    pid: 7,
    once: (signal: string, listener: () => void) => emitter.once(signal, listener),
    kill: (pid: number, signal: string) => killed.push([pid, signal]),
  };
  return {
    interruption: createInterruptSignal(source, () => time),
    killed,
    /** Whether there was a listener; without one, the signal ends the process. */
    send: (signal: string) => emitter.emit(signal),
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

describe.each([
  ["SIGINT", "interrupted", 130],
  ["SIGTERM", "terminated", 143],
  ["SIGHUP", "hung up", 129],
])("%s", (signal, message, exitCode) => {
  test("aborts with its own reason", () => {
    const { interruption, send } = createProcess();
    expect(interruption.aborted).toBe(false);
    send(signal);
    expect(interruption.reason).toMatchObject({ code: "interrupted", message, exitCode });
  });

  test("that is sent twice at once counts once; the next one ends the process", () => {
    const { killed, send, wait } = createProcess();
    send(signal);
    wait(499);
    expect({ taken: send(signal), killed }).toEqual({ taken: true, killed: [] });
    expect(send(signal)).toBe(false);
  });

  test("a second time ends the process", () => {
    const { killed, send, wait } = createProcess();
    send(signal);
    wait(500);
    send(signal);
    expect(killed).toEqual([[7, signal]]);
    expect(send(signal)).toBe(false);
  });
});

test.each([
  ["SIGTERM", "SIGINT"],
  ["SIGINT", "SIGTERM"],
  ["SIGHUP", "SIGTERM"],
])("%s, and %s later, which ends the process", (first, second) => {
  const { interruption, killed, send, wait } = createProcess();
  send(first);
  const { reason } = interruption;
  wait(500);
  send(second);
  expect(killed).toEqual([[7, second]]);
  expect(interruption.reason).toBe(reason);
});

test("SIGHUP and SIGTERM at once count as one, as systemd may send them", () => {
  const { interruption, killed, send } = createProcess();
  send("SIGTERM");
  expect({ taken: send("SIGHUP"), killed }).toEqual({ taken: true, killed: [] });
  expect(interruption.reason).toMatchObject({ exitCode: 143 });
});

test("work that blocks the process has default signals, and the listeners come back", () => {
  const source = new EventEmitter();
  const seen: string[] = [];
  source.once("SIGINT", () => seen.push("interrupted"));
  source.on("SIGTERM", () => seen.push("terminated"));
  const during = withDefaultSignals(source, () =>
    ["SIGINT", "SIGTERM"].map((name) => source.listenerCount(name)),
  );
  expect(during).toEqual([0, 0]);
  for (const name of ["SIGINT", "SIGINT", "SIGTERM", "SIGTERM"]) source.emit(name);
  expect(seen).toEqual(["interrupted", "terminated", "terminated"]);
  source.on("SIGHUP", () => seen.push("hung up"));
  expect(() => withDefaultSignals(source, () => JSON.parse("x"))).toThrow();
  source.emit("SIGHUP");
  expect(seen.at(-1)).toBe("hung up");
});

test("during work that leaves Ctrl-C to another program it has no effect; afterwards it has", async () => {
  const source = new EventEmitter();
  const seen: string[] = [];
  source.once("SIGINT", () => seen.push("interrupted"));
  await ignoreInterrupt(source, async () => {
    expect(source.emit("SIGINT")).toBe(true);
    // Heard of after the end of the work, with which it came.
    setImmediate(() => source.emit("SIGINT"));
  });
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
  const failed = ignoreInterrupt(source, () => Promise.reject(new Error("no editor")));
  await expect(failed).rejects.toThrow("no editor");
  expect([source.emit("SIGINT"), source.emit("SIGINT")]).toEqual([true, false]);
  expect(seen).toEqual(["interrupted"]);
});
