import { EventEmitter } from "node:events";
import { onTestFinished } from "vitest";
import { loadCommandTree } from "../../../../src/cli/command-tree.js";
import { run } from "../../../../src/cli/run.js";
import type { GlobalFlags } from "../../../../src/config/run-settings.js";
import type { Payload, Target, TargetRequest } from "../../../../src/delivery/target.js";
import { CliError } from "../../../../src/errors.js";
import { createHost } from "../../../../src/run/host.js";
import { NOW } from "../../../support/harness.js";
import { PROGRAM } from "../../../support/spawned.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { createScreen, createStdin } from "../../../support/terminal.js";

/** A machine on which messages are delivered: the program's own parts, real sockets and files, a clock that is set. */
export interface DeliveryWorld {
  readonly directory: string;
  /** Every pause so far (ms). None of them took time. */
  readonly pauses: readonly number[];
  /** Runs a command line of the program. */
  run(stdin: string, ...argv: readonly string[]): Promise<number>;
  open(request: TargetRequest, changes?: DeliveryOptions): Promise<Target>;
  /** Opens a target and delivers a message to it. */
  deliver(request: TargetRequest, changes?: DeliveryOptions): Promise<DeliveryResult>;
}

export interface DeliveryOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: GlobalFlags;
  readonly payload?: Payload;
  /** Called with what interrupts the delivery, as Ctrl-C does. */
  readonly onStart?: (interrupt: () => void) => void;
}

interface DeliveryResult {
  /** Null if the message was accepted. */
  readonly error: CliError | null;
  readonly stderr: string;
}

export const PAYLOAD: Payload = {
  contentType: "application/json; charset=utf-8",
  headers: { "x-title": "Today" },
  body: JSON.stringify({ text: "Today: Choir" }),
};

/** The folders of `calctl` in a directory. */
export function foldersIn(directory: string): Readonly<Record<string, string>> {
  const names = ["CALCTL_CONFIG_DIR", "CALCTL_DATA_DIR", "CALCTL_STATE_DIR", "CALCTL_CACHE_DIR"];
  return Object.fromEntries(names.map((name) => [name, directory]));
}

export function createDeliveryWorld(): DeliveryWorld {
  const directory = temporaryFolder();
  const pauses: number[] = [];
  let now = NOW;

  const start = (env: Readonly<Record<string, string>>, stdin = "") => {
    const signals = new EventEmitter();
    const stderr = createScreen();
    const host = createHost(
      {
        env: { ...foldersIn(directory), ...env },
        platform: "linux",
        execPath: process.execPath,
        // The built program is the helper of the keychain.
        argv: [process.execPath, PROGRAM],
        pid: process.pid,
        kill: process.kill,
        stdin: createStdin(stdin),
        stdout: createScreen(),
        stderr,
        once: (signal, listener) => signals.once(signal, listener),
        removeAllListeners: (signal) => signals.removeAllListeners(signal),
        rawListeners: (signal) => signals.rawListeners(signal),
        on: (signal, listener) => signals.on(signal, listener),
        off: (signal, listener) => signals.off(signal, listener),
      },
      {
        now: () => now,
        sleep: async (milliseconds, signal) => {
          signal.throwIfAborted();
          pauses.push(milliseconds);
          now += milliseconds;
        },
        random: () => 0.5,
      },
    );
    return { host, stderr, interrupt: () => void signals.emit("SIGINT") };
  };
  const openWith = async (request: TargetRequest, { env = {}, flags = {} }: DeliveryOptions) => {
    const started = start(env);
    onTestFinished(() => started.host.close());
    const frame = { run, commandTree: loadCommandTree, setExitCode: () => undefined };
    const createRun = await started.host.loadRuns();
    const targets = await createRun(flags, frame).targets();
    return { ...started, target: await targets.open(request) };
  };
  return {
    directory,
    pauses,
    run: (stdin, ...argv) => run(argv, start({}, stdin).host),
    open: async (request, changes = {}) => (await openWith(request, changes)).target,
    async deliver(request, changes = {}) {
      const { target, stderr, interrupt } = await openWith(request, changes);
      const delivery = target.deliver(changes.payload ?? PAYLOAD);
      changes.onStart?.(interrupt);
      const error = await delivery.then(() => null).catch((reason: unknown) => reason);
      if (error !== null && !(error instanceof CliError)) throw error;
      return { error, stderr: stderr.text() };
    },
  };
}
