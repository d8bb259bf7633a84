import { childEnvironment, environmentSecrets } from "../config/environment.js";
import { createClock } from "../system/clock.js";
import { createRedactor } from "../terminal/redaction.js";
import { createInterruptSignal } from "../terminal/signals.js";
import { createTextSink, type TextSink } from "../terminal/text-sink.js";
import type { HostOverrides, ProcessLike, Resources } from "./machine.js";
import type { Host } from "./run.js";

/** The composition root: real streams and clock. What help does not need is loaded with the first of these. */
export function createHost(process: ProcessLike, overrides: HostOverrides = {}): Host {
  const { env } = process;
  const redactor = createRedactor(() => environmentSecrets(env));
  const clock = createClock(overrides);
  let interruption: AbortSignal | undefined;
  const signal = (): AbortSignal => {
    interruption ??= createInterruptSignal(process, clock.now);
    return interruption;
  };
  const sinkOptions = { interruption: () => interruption, sleep: clock.sleep };
  let openedStderr: TextSink | undefined;
  // Most runs write nothing to it.
  const stderr = (): TextSink => {
    const sink = { ...sinkOptions, open: () => process.stderr, name: "stderr", mask: redactor.mask };
    openedStderr ??= createTextSink(sink);
    return openedStderr;
  };
  const stdout = createTextSink({ ...sinkOptions, open: () => process.stdout, name: "stdout" });
  const { closeAll, ...resources } = createResources();
  return {
    env,
    stdout,
    get stderr() {
      return stderr();
    },
    async page(text) {
      const { rows } = stdout;
      // Loads nothing in a pipe.
      if (rows !== undefined && text.split("\n").length > rows) {
        const { showInPager } = await import("../terminal/pager.js");
        const options = { env: childEnvironment(env), rows, interruption: signal };
        if (await showInPager(text, options)) return;
      }
      await stdout.write(text);
    },
    isStuck: () => stdout.isStuck || openedStderr?.isStuck === true,
    async loadRuns() {
      const [{ createMachine }, { composeRun }] = await Promise.all([
        import("./machine.js"),
        import("./compose.js"),
      ]);
      const dependencies = { process, overrides, stdout, stderr, resources, redactor, clock, signal };
      const machine = createMachine(dependencies);
      return (flags, frame) => composeRun(machine, { flags, frame, createHost });
    },
    close: closeAll,
  };
}

/** Resources, and what closes them all and then throws the first failure. */
export function createResources(): Resources & { readonly closeAll: () => Promise<void> } {
  const closers: (() => Promise<void> | void)[] = [];
  return {
    add: (close) => void closers.push(close),
    async closeAll() {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
