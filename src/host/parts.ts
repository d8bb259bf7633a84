import type { CredentialStore } from "../auth/stores/store.js";
import type { ConfigFile } from "../config/config-file.js";
import type { Environment } from "../config/environment.js";
import type { GlobalFlags } from "../config/run-settings.js";
import type { Context } from "../context.js";
import type { CliError } from "../errors.js";
import type { Service } from "../service/service.js";
import type { Clock, SetTimer } from "../system/clock.js";
import type { ProcessSource, ProcessTable } from "../system/file-lock.js";
import type { ReadableLike } from "../terminal/input.js";
import type { Redactor } from "../terminal/redaction.js";
import type { SignalSource } from "../terminal/signals.js";
import type { StatusSink } from "../terminal/status-line.js";
import type { TextSink, WritableLike } from "../terminal/text-sink.js";
import type { Resources } from "./resources.js";

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
  readonly setTimer?: SetTimer;
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
  readonly setTimer: SetTimer;
  /** What stderr never shows; stdout does where it is asked for. */
  readonly redactor: Redactor;
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
