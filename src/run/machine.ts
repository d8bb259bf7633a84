import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Service } from "../../service/service.js";
import type { CacheFile, CacheFileOptions } from "../cache/cache-file.js";
import { type ConfigFile, createConfigFile } from "../config/config.js";
import { type Directories, requireOwnFolder, resolveDirectories } from "../config/directories.js";
import type { Environment } from "../config/environment.js";
import { configurationError } from "../errors.js";
import type { SecretStore } from "../secrets/store.js";
import { type Clock, type SetTimer, setTimer } from "../system/clock.js";
import type { ProcessSource } from "../system/file-lock.js";
import { requireOwn } from "../system/ownership.js";
import { resolveSystemTimeZone } from "../system/system-time-zone.js";
import type { ReadableLike } from "../terminal/input.js";
import type { Redactor } from "../terminal/redaction.js";
import type { SignalListeners, SignalSource, TerminationSignal } from "../terminal/signals.js";
import type { TextSink, WritableLike } from "../terminal/text-sink.js";

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
  kill(pid: number, signal: 0 | TerminationSignal | "SIGKILL"): unknown;
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

/** Everything that must be closed before the process can exit. */
export interface Resources {
  /** Registers what is called at the end of the run, in reverse order. */
  add(close: () => Promise<void> | void): void;
}

/** What a run has of this machine. Whatever takes time is done when it is first asked for. */
export interface Machine {
  readonly process: ProcessLike;
  /** Its environment. */
  readonly env: Environment;
  readonly overrides: HostOverrides;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly resources: Resources;
  readonly clock: Clock;
  /** The timer of attempts. */
  readonly setTimer: SetTimer;
  /** Masks secrets on stderr. stdout is not masked: `token` prints one. */
  readonly redactor: Redactor;
  readonly systemTimeZone: () => string | undefined;
  readonly configFile: ConfigFile;
  /** Null on Windows. */
  readonly userId: number | null;
  /** The folders of the program, whoever may write to them. */
  readonly directories: Directories;
  readonly dataDirectory: () => string;
  /** @throws CliError configuration where others could put files or links into it; so does `cacheDirectory` */
  readonly stateDirectory: () => string;
  readonly cacheDirectory: () => string;
  /** Path of the database of the profile `local`. @throws CliError configuration where others could have chosen the file */
  readonly database: () => string;
  /** Path of `state.db`. @throws CliError configuration, as `database` */
  readonly stateFile: () => string;
  /** Aborts on SIGINT, SIGTERM and SIGHUP. The first call starts listening for them. */
  readonly signal: () => AbortSignal;
}

/** What the host has by then. */
export interface MachineDependencies
  extends Pick<Machine, "process" | "overrides" | "stdout" | "resources" | "redactor" | "clock" | "signal"> {
  readonly stderr: () => Machine["stderr"];
}

/** This machine, with its folders and its configuration. */
export function createMachine(dependencies: MachineDependencies): Machine {
  const { process, overrides, stdout, stderr, resources, redactor, clock, signal } = dependencies;
  const { env, platform } = process;
  const directories = resolveDirectories({ env, platform, home: homeFolder });
  const userId = process.geteuid?.() ?? null;
  return {
    process,
    env,
    overrides,
    stdout,
    get stderr() {
      return stderr();
    },
    resources,
    redactor,
    clock,
    setTimer: overrides.setTimer ?? setTimer,
    systemTimeZone: overrides.systemTimeZone ?? (() => resolveSystemTimeZone(env["TZ"])),
    configFile:
      overrides.configFile ?? createConfigFile({ directory: directories.config, userId, process, signal }),
    userId,
    directories,
    dataDirectory: directories.data,
    stateDirectory: () => requireOwnFolder("state", directories, userId),
    cacheDirectory: () => requireOwnFolder("cache", directories, userId),
    database() {
      const path = join(requireOwnFolder("data", directories, userId), "local.db");
      const place = { noun: "database", path, variable: "CALCTL_DATA_DIR" } as const;
      return requireOwn(place, userId, { isShared: true });
    },
    stateFile() {
      const path = join(requireOwnFolder("state", directories, userId), "state.db");
      const place = { noun: "state database", path, variable: "CALCTL_STATE_DIR" } as const;
      return requireOwn(place, userId, { isShared: true });
    },
    signal,
  };
}

/** HOME, or that of the user database when HOME is not an absolute path. */
function homeFolder(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch (cause) {
    throw configurationError("there is no home folder: HOME is not set, and the user database has none", {
      hint: "set HOME, or CALCTL_CONFIG_DIR and CALCTL_DATA_DIR",
      cause,
    });
  }
}
