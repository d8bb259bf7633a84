import type { Service } from "../service/service.js";
import type { CacheFile, CacheFileOptions } from "./cache/cache-file.js";
import type { ConfigFile } from "./config/config-file.js";
import type { Environment } from "./config/environment.js";
import type { SecretStore } from "./secrets/store.js";
import type { Clock, SetTimer } from "./system/clock.js";
import type { ProcessSource, ProcessTable } from "./system/process-table.js";
import type { Resources } from "./system/resources.js";
import type { ReadableLike } from "./terminal/input.js";
import type { Redactor } from "./terminal/redaction.js";
import type { SignalListeners, SignalSource, TerminationSignal } from "./terminal/signals.js";
import type { StatusSink } from "./terminal/status-line.js";
import type { ByteSink, WritableLike } from "./terminal/text-sink.js";

/** The part of Node's process that the program uses. */
export interface ProcessLike extends SignalSource, SignalListeners, ProcessSource {
  readonly env: Environment;
  readonly platform: string;
  readonly execPath: string;
  readonly argv: readonly string[];
  /** Absent on Windows. */
  readonly geteuid?: (() => number) | undefined;
  readonly stdin: ReadableLike;
  readonly stdout: WritableLike;
  readonly stderr: WritableLike;
  kill(pid: number, signal: 0 | TerminationSignal): unknown;
}

/** Parts that the program, a sandbox or a test chooses. */
export interface HostOverrides extends Partial<Clock> {
  /** Whether the terminal of stdout shows links; the default is no. */
  readonly supportsHyperlinks?: () => Promise<boolean>;
  /** The timer of attempts. */
  readonly setTimer?: SetTimer;
  /** The zone of this machine; undefined when it has no IANA name. */
  readonly systemTimeZone?: () => string | undefined;
  readonly configFile?: ConfigFile;
  /** What is cached; by default in a file of the cache folder. */
  readonly cacheFile?: (kind: CacheFileOptions["kind"]) => CacheFile;
  /** Replaces the system's keychain. */
  readonly keychain?: SecretStore;
  /** The service of the profile `local`, and its user. */
  readonly localService?: () => Promise<LocalService>;
}

export interface LocalService {
  readonly service: Service;
  readonly userId: string;
}

/** What a run has of this machine. Whatever takes time is done when it is first asked for. */
export interface Machine {
  readonly process: ProcessLike;
  /** Its environment. */
  readonly env: Environment;
  readonly overrides: HostOverrides;
  readonly stdout: ByteSink;
  readonly stderr: StatusSink;
  readonly resources: Resources;
  readonly clock: Clock;
  /** The timer of attempts. */
  readonly setTimer: SetTimer;
  /** Masks secrets on stderr. stdout is not masked: `token` prints one. */
  readonly redactor: Redactor;
  readonly systemTimeZone: () => string | undefined;
  readonly configFile: ConfigFile;
  readonly processes: ProcessTable;
  /** Null on Windows. */
  readonly userId: number | null;
  readonly dataDirectory: () => string;
  readonly stateDirectory: () => string;
  readonly cacheDirectory: () => string;
  /** Path of the database of the profile `local`. @throws CliError configuration where others could have chosen the file */
  readonly database: () => string;
  /** Aborts on SIGINT, SIGTERM and SIGHUP. The first call starts listening for them. */
  readonly signal: () => AbortSignal;
}
