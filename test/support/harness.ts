import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openService, type Service } from "../../service/service.js";
import { run } from "../../src/cli/run.js";
import { createHost } from "../../src/run/host.js";
import type { ProcessLike } from "../../src/run/machine.js";
import { readFolder, writeFolder } from "./folder-copy.js";
import { keptSecrets } from "./kept-secrets.js";
import { writeNewDatabase } from "./new-database.js";
import { untilDone, whenFinished } from "./shared.js";
import { createScreen, createStdin } from "./terminal.js";
import { createVirtualTimers, type VirtualTimers } from "./virtual-timers.js";

/** A Saturday afternoon in Europe, late at night in Japan. */
export const NOW = Date.parse("2026-11-21T14:30:00.000Z");

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** As Node names it; `linux` by default. */
  readonly platform?: string;
  /** All streams are a terminal of this width. */
  readonly columns?: number;
  /** Used instead of the streams that a script has. */
  readonly streams?: Partial<Pick<ProcessLike, "stdin" | "stdout" | "stderr">>;
}

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Harness {
  /** The embedded service behind the profile `local`. */
  readonly service: Service;
  readonly userId: string;
  /** A new folder for configuration, data and files. */
  readonly directory: string;
  /** Runs one command line as the program would. */
  run(...argv: readonly string[]): Promise<RunResult>;
  runWith(options: RunOptions, ...argv: readonly string[]): Promise<RunResult>;
  /** Runs a command line that must succeed, and reads the JSON it prints. */
  json<T = Record<string, unknown>>(...argv: readonly string[]): Promise<T>;
  setNow(now: number): void;
  /** Milliseconds since the Unix epoch: pauses and timeouts advance it. */
  now(): number;
  /** Every pause so far (ms). None of them took time: each advanced the clock. */
  readonly pauses: readonly number[];
  /** Timers of attempts. */
  readonly timers: VirtualTimers;
}

export interface HarnessOptions {
  readonly timeZone?: string;
  readonly userName?: string;
  /** Name of the service's database in `directory`; outside of it by default. */
  readonly database?: string;
  /** The result of every random number, from 0 up to 1. */
  readonly random?: number;
  /** Called during each pause. */
  readonly duringPause?: () => Promise<void> | void;
  /** The process of the next run, and who sees which others run; that of the test by default. */
  readonly nextProcess?: () => Pick<ProcessLike, "pid" | "kill">;
}

/** The whole program over a service of its own; only streams, clock and environment are replaced. */
export async function createHarness(options: HarnessOptions = {}): Promise<Harness> {
  const folder = mkdtempSync(join(tmpdir(), "calctl-test-"));
  mkdirSync(join(folder, "home"), { mode: 0o700 });
  const { userName = "ana", database } = options;
  await writeNewDatabase(databaseIn(folder, database), { now: NOW, localUser: userName });
  return openHarness(folder, options);
}

/** What `begin` adds to a harness. */
export type Begun<T> = T extends object ? T : unknown;

/**
 * Creates harnesses with the same contents, which `begin` writes once and which are copied for each. What an import remembers is
 * lost: the name of its file depends on the folder.
 * @param begin its result is added to each harness
 */
export function harnessesWith<T>(
  begin: (harness: Harness) => Promise<T>,
): (options?: HarnessOptions) => Promise<Harness & Begun<T>> {
  const beginnings = new Map<string, ReturnType<typeof write>>();
  const write = (options: HarnessOptions) =>
    untilDone(async () => {
      const harness = await createHarness(options);
      const begun = await begin(harness);
      await harness.service.close();
      return { begun, now: harness.now(), copy: readFolder(dirname(harness.directory)) };
    });
  return async (options = {}) => {
    const { timeZone, userName, database } = options;
    const key = JSON.stringify([timeZone, userName, database]);
    const beginning = beginnings.get(key) ?? write(options);
    beginnings.set(key, beginning);
    const { begun, now, copy } = await beginning;
    const folder = mkdtempSync(join(tmpdir(), "calctl-test-"));
    writeFolder(folder, copy);
    const harness = await openHarness(folder, options);
    harness.setNow(now);
    return { ...harness, ...(begun as Begun<T> & object) };
  };
}

function databaseIn(folder: string, name: string | undefined): string {
  return name === undefined ? join(folder, "service.db") : join(folder, "home", name);
}

async function openHarness(folder: string, options: HarnessOptions): Promise<Harness> {
  const { timeZone = "Europe/Berlin", userName = "ana", random = 0.5, duringPause, database } = options;
  const { nextProcess = () => ({ pid: process.pid, kill: process.kill }) } = options;
  let now = NOW;
  const setNow = (changed: number): void => {
    now = changed;
  };
  const timers = createVirtualTimers({ now: () => now, setNow });
  const pauses: number[] = [];
  const directory = join(folder, "home");
  const path = databaseIn(folder, database);
  const service = await openService({ database: path, now: () => now, rateLimit: null });
  const { userId } = await service.admin.ensureLocalUser({ name: userName });
  whenFinished(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const runWith: Harness["runWith"] = async (
    { env = {}, stdin = "", platform = "linux", columns, streams },
    ...argv
  ) => {
    const terminal = columns === undefined ? undefined : { columns };
    const stdout = createScreen(terminal);
    const stderr = createScreen(terminal);
    const host = createHost(
      {
        env: {
          CALCTL_CONFIG_DIR: directory,
          CALCTL_DATA_DIR: directory,
          CALCTL_STATE_DIR: directory,
          CALCTL_CACHE_DIR: directory,
          ...env,
        },
        platform,
        execPath: process.execPath,
        argv: [],
        ...nextProcess(),
        stdin: createStdin(stdin, columns !== undefined && stdin === ""),
        stdout,
        stderr,
        ...streams,
        once: () => undefined,
        removeAllListeners: () => undefined,
        rawListeners: () => [],
        on: () => undefined,
        off: () => undefined,
      },
      {
        now: () => now,
        sleep: async (milliseconds, signal) => {
          signal.throwIfAborted();
          pauses.push(milliseconds);
          now += milliseconds;
          await duringPause?.();
        },
        setTimer: timers.setTimer,
        random: () => random,
        systemTimeZone: () => timeZone,
        localService: async () => ({ service, userId }),
      },
    );
    const exitCode = await run(argv, host);
    return keptSecrets({ exitCode, stdout: stdout.text(), stderr: stderr.text() }, env);
  };

  const runPlain: Harness["run"] = (...argv) => runWith({}, ...argv);
  return {
    service,
    userId,
    directory,
    run: runPlain,
    runWith,
    async json<T>(...argv: readonly string[]) {
      const result = await runPlain(...argv, "-o", "json");
      if (result.exitCode !== 0)
        throw new Error(`calctl ${argv.join(" ")}: ${result.exitCode} ${result.stderr}`);
      return JSON.parse(result.stdout) as T;
    },
    setNow,
    now: () => now,
    pauses,
    timers,
  };
}
