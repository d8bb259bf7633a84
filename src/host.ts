import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import type { Clock } from "./api/sending/clock.js";
import type { After } from "./api/transport/timer.js";
import type { CredentialStore } from "./auth/credentials.js";
import { type ConfigFile, ConfigSyntaxError, createConfigFile } from "./config/config-file.js";
import { resolveDirectories } from "./config/directories.js";
import type { Environment } from "./config/environment.js";
import { environmentSecrets } from "./config/environment-secrets.js";
import type { Context, GlobalFlags } from "./context.js";
import { type CliError, configurationError } from "./errors.js";
import type { ProcessTable } from "./files/file-lock.js";
import { createClock, startTimer } from "./host/clock.js";
import type { ReadableLike } from "./host/input.js";
import { createLiveSecrets, type LiveSecrets } from "./host/live-secrets.js";
import { localDatabase } from "./host/local-backend.js";
import { createProcessTable, type ProcessSource } from "./host/process-table.js";
import { createResources, type Resources } from "./host/resources.js";
import { createInterruption, type SignalSource } from "./host/signals.js";
import { type StatusSink, withStatusLine } from "./host/status-line.js";
import { resolveSystemTimeZone } from "./host/system-time-zone.js";
import { createTextSink, maskedSink, type TextSink, type WritableLike } from "./host/text-sink.js";
import type { Service } from "./service/service.js";

/** What is used of Node's process. */
export interface ProcessLike extends SignalSource, ProcessSource {
  readonly env: Environment;
  readonly platform: string;
  readonly execPath: string;
  readonly argv: readonly string[];
  /** Absent where users have no numbers. */
  readonly getuid?: (() => number) | undefined;
  readonly stdin: ReadableLike;
  readonly stdout: WritableLike;
  readonly stderr: WritableLike;
  kill(pid: number, signal: 0 | "SIGINT" | "SIGTERM"): unknown;
}

/** Parts that a sandbox or a test replaces. */
export interface HostOverrides {
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  /** Waits some milliseconds; rejects with the signal's reason. */
  readonly sleep?: Clock["sleep"];
  /** Measures how long an attempt takes. */
  readonly after?: After;
  /** From 0 up to 1. */
  readonly random?: () => number;
  /** The zone of the process; undefined when it has no IANA name. */
  readonly systemTimeZone?: () => string | undefined;
  readonly configFile?: ConfigFile;
  /** In place of the system's keychain. */
  readonly keychain?: CredentialStore;
  /** The service behind the profile `local`, and its user. */
  readonly localService?: () => Promise<LocalService>;
}

export interface LocalService {
  readonly service: Service;
  readonly userId: string;
  /** What the last request failed of inside the service; undefined when it did not. */
  readonly takeFailure?: () => unknown;
}

export type Run = (argv: readonly string[], host: Host) => Promise<number>;

/** The context but for what belongs to the run itself. */
export type HostContext = Omit<Context, "setExitCode">;

export type CreateContext = (flags: GlobalFlags, run: Run) => HostContext;

/** One run of the program: its streams, and the context its command gets. */
export interface Host {
  readonly env: Environment;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Loads what contexts are made of: nothing of it is needed for `--version`. */
  loadContexts(): Promise<CreateContext>;
  /** The error as it is told to people: what takes time to find out is found out only for them. */
  explain(error: CliError): Promise<CliError>;
  /** Closes what the run opened. */
  close(): Promise<void>;
}

/** What every context of one run shares. */
export interface HostParts {
  readonly process: ProcessLike;
  readonly overrides: HostOverrides;
  readonly stdout: TextSink;
  readonly stderr: StatusSink;
  readonly resources: Resources;
  readonly clock: Clock;
  /** Measures how long an attempt takes. */
  readonly after: After;
  /** What stderr never shows; stdout does where it is asked for. */
  readonly secrets: LiveSecrets;
  readonly systemTimeZone: () => string | undefined;
  readonly configFile: ConfigFile;
  /** Whose locks are whose. */
  readonly processes: ProcessTable;
  /** Folder of databases and of tokens in files. */
  readonly dataDirectory: () => string;
  /** Folder of what is remembered between runs and may be lost without harm. */
  readonly stateDirectory: () => string;
  /** Path of the database of the profile `local`. */
  readonly database: () => string;
  /** Aborts on SIGINT and SIGTERM; they are listened for from the first call on. */
  readonly signal: () => AbortSignal;
}

/** HOME, unless it is no absolute path: then that of the user database. */
function homeFolder(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch (cause) {
    throw configurationError("there is no home folder: HOME is not set, and the user has no entry", {
      hint: "set HOME, or CALCTL_CONFIG_DIR and CALCTL_DATA_DIR",
      cause,
    });
  }
}

async function explain(error: CliError): Promise<CliError> {
  if (!(error instanceof ConfigSyntaxError)) return error;
  const { describeJsonError } = await import("./host/json-position.js");
  const { message, hint = "", text, cause } = error;
  return configurationError(`${message}: ${await describeJsonError(text)}`, { hint, cause });
}

/** The composition root: real streams, clock, environment, configuration, transport, prompts. */
export function createHost(process: ProcessLike, overrides: HostOverrides = {}): Host {
  const { env, platform } = process;
  const directories = resolveDirectories({ env, platform, home: homeFolder });
  const secrets = createLiveSecrets(() => environmentSecrets(env));
  const clock = createClock(overrides);
  let interruption: AbortSignal | undefined;
  const signal = (): AbortSignal => {
    interruption ??= createInterruption(process, clock.now);
    return interruption;
  };
  const processes = createProcessTable(process);
  const sinkOf = (name: "stdout" | "stderr"): TextSink =>
    createTextSink({
      open: () => process[name],
      name,
      interruption: () => interruption,
      sleep: clock.sleep,
    });
  const parts: HostParts = {
    process,
    overrides,
    stdout: sinkOf("stdout"),
    stderr: withStatusLine(maskedSink(sinkOf("stderr"), secrets.mask)),
    resources: createResources(),
    secrets,
    clock,
    after: overrides.after ?? startTimer,
    systemTimeZone: overrides.systemTimeZone ?? resolveSystemTimeZone,
    configFile:
      overrides.configFile ?? createConfigFile({ directory: directories.config, processes, signal }),
    processes,
    dataDirectory: directories.data,
    stateDirectory: directories.state,
    database: () => localDatabase(directories),
    signal,
  };
  return {
    env,
    stdout: parts.stdout,
    stderr: parts.stderr,
    async loadContexts() {
      const { composeContext } = await import("./host/compose-context.js");
      return (flags, run) => composeContext(parts, { flags, run, createHost });
    },
    explain,
    close: () => parts.resources.closeAll(),
  };
}
