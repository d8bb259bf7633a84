import { Readable } from "node:stream";
import { run } from "../../../src/cli/run.js";
import { createHost } from "../../../src/run/host.js";
import { accountOf, type SecretStore } from "../../../src/secrets/store.js";
import type { RunResult } from "../../support/harness.js";
import { keptSecrets } from "../../support/kept-secrets.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { createScreen } from "../../support/terminal.js";

/** The program on an empty machine, over real sockets; its keychain is in memory. */
export interface Machine {
  readonly directory: string;
  /** The keychain in memory; its entries are by account. */
  readonly keychain: MemoryKeychain;
  run(options: MachineRun, ...argv: readonly string[]): Promise<RunResult>;
  /** Starts a command line and leaves it running. */
  start(options: MachineRun, ...argv: readonly string[]): StartedRun;
}

export interface MachineRun {
  readonly env?: Readonly<Record<string, string>>;
  /** Content of stdin, or a pipe that the test writes to. */
  readonly stdin?: string | Readable;
  /** Milliseconds since the Unix epoch; the real time by default. */
  readonly now?: number;
  /** Stdin and stderr are a terminal; these lines are typed at its prompts. */
  readonly terminal?: Readable;
}

export interface StartedRun {
  readonly ended: Promise<RunResult>;
  /** Resolves with everything on stderr when it contains the text. */
  stderrWith(text: string): Promise<string>;
  /** Resolves with the sign-in URL when it is shown. */
  address(): Promise<string>;
  /** Interrupts the run, like Ctrl-C or kill. */
  signal(name: "SIGINT" | "SIGTERM"): void;
}

interface MemoryKeychain extends SecretStore {
  readonly entries: Map<string, string>;
  /** Number of calls of any kind. */
  calls(): number;
  /** The error of every call from now on; null for none. */
  breakWith(error: Error | null): void;
  /** The error of every load from now on. */
  breakLoading(error: Error): void;
  /** Called in the middle of saving. */
  onSave(act: () => void): void;
}

export function createMachine(): Machine {
  const directory = temporaryFolder();
  const keychain = createMemoryKeychain();
  const start: Machine["start"] = ({ env = {}, stdin = "", terminal, now }, ...argv) => {
    const screen = terminal === undefined ? undefined : { columns: 200 };
    const stdout = createScreen();
    const stderr = createScreen(screen);
    const watchers = new Set<() => void>();
    const listeners = new Map<string, () => void>();
    const host = createHost(
      {
        env: {
          CALCTL_CONFIG_DIR: directory,
          CALCTL_DATA_DIR: directory,
          CALCTL_STATE_DIR: directory,
          TZ: "UTC",
          ...env,
        },
        platform: "linux",
        execPath: process.execPath,
        argv: [],
        pid: process.pid,
        kill: process.kill,
        geteuid: () => process.geteuid?.() ?? 0,
        stdin: Object.assign(terminal ?? readableOf(stdin), { isTTY: terminal !== undefined }),
        stdout,
        stderr: {
          ...stderr,
          write(text, done) {
            const taken = stderr.write(text, done);
            for (const watcher of watchers) watcher();
            return taken;
          },
        },
        removeAllListeners: () => undefined,
        rawListeners: () => [],
        on: () => undefined,
        off: () => undefined,
        once: (name, listener) => listeners.set(name, listener),
      },
      {
        keychain,
        sleep: async (_, signal) => signal.throwIfAborted(),
        ...(now === undefined ? {} : { now: () => now }),
      },
    );
    const ended = run(argv, host).then((exitCode) =>
      keptSecrets({ exitCode, stdout: stdout.text(), stderr: stderr.text() }, env),
    );
    const stderrWith = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!stderr.text().includes(text)) return;
          watchers.delete(check);
          resolve(stderr.text());
        };
        watchers.add(check);
        void ended.then((result) => reject(new Error(`it ended before: ${JSON.stringify(result)}`)));
        check();
      });
    return {
      ended,
      stderrWith,
      async address() {
        return addressIn(await stderrWith("code_challenge_method=S256\n"));
      },
      signal: (name) => listeners.get(name)?.(),
    };
  };
  return {
    directory,
    keychain,
    start,
    run: (options, ...argv) => start(options, ...argv).ended,
  };
}

function readableOf(stdin: string | Readable): Readable {
  if (typeof stdin !== "string") return stdin;
  return Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]);
}

/** The sign-in URL in the output of a login. */
export function addressIn(stderr: string): string {
  const address = /^(https?:\S+code_challenge\S+)$/m.exec(stderr)?.[1];
  if (address === undefined) throw new Error(`no address in: ${stderr}`);
  return address;
}

function createMemoryKeychain(): MemoryKeychain {
  const entries = new Map<string, string>();
  let calls = 0;
  let broken: Error | null = null;
  let unreadable: Error | null = null;
  let onSave: () => void = () => undefined;
  const touch = (): void => {
    calls += 1;
    if (broken !== null) throw broken;
  };
  return {
    name: "keychain",
    entries,
    calls: () => calls,
    breakWith: (error) => {
      broken = error;
    },
    breakLoading: (error) => {
      unreadable = error;
    },
    onSave: (act) => {
      onSave = act;
    },
    async probe() {
      touch();
    },
    async save(key, token) {
      touch();
      entries.set(accountOf(key), token);
      onSave();
    },
    async load(key) {
      touch();
      if (unreadable !== null) throw unreadable;
      return entries.get(accountOf(key)) ?? null;
    },
    async remove(key) {
      touch();
      return entries.delete(accountOf(key));
    },
  };
}
