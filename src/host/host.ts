import { environmentSecrets } from "../config/environment-secrets.js";
import type { HostOverrides, ProcessLike } from "../machine.js";
import { createClock } from "../system/clock.js";
import { createResources } from "../system/resources.js";
import { createRedactor } from "../terminal/redaction.js";
import { createInterruptSignal } from "../terminal/signals.js";
import { type StatusSink, withStatusLine } from "../terminal/status-line.js";
import { createTextSink } from "../terminal/text-sink.js";
import type { Host } from "./run.js";

/** The composition root: real streams and clock. What help does not need is loaded with the first context. */
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
  let openedStderr: StatusSink | undefined;
  // Most runs write nothing to it.
  const stderr = (): StatusSink => {
    const sink = { ...sinkOptions, open: () => process.stderr, name: "stderr", mask: redactor.mask };
    openedStderr ??= withStatusLine(createTextSink(sink));
    return openedStderr;
  };
  const stdout = createTextSink({ ...sinkOptions, open: () => process.stdout, name: "stdout" });
  const resources = createResources();
  return {
    env,
    stdout,
    get stderr() {
      return stderr();
    },
    isStuck: () => stdout.isStuck || openedStderr?.isStuck === true,
    async loadContexts() {
      const [{ createMachine }, { composeContext }] = await Promise.all([
        import("./machine.js"),
        import("./context.js"),
      ]);
      const parts = { process, overrides, stdout, stderr, resources, redactor, clock, signal };
      const machine = createMachine(parts);
      return (flags, frame) => composeContext(machine, { flags, frame, createHost });
    },
    close: () => resources.closeAll(),
  };
}
