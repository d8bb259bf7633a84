import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { createConfigFile } from "../config/config-file.js";
import { resolveDirectories } from "../config/directories.js";
import { environmentSecrets } from "../config/environment-secrets.js";
import { configurationError } from "../errors.js";
import type { HostOverrides, Machine, ProcessLike } from "../machine.js";
import { createClock, resolveSystemTimeZone, setTimer } from "../system/clock.js";
import { requireTrustedPlace } from "../system/ownership.js";
import { createProcessTable } from "../system/process-table.js";
import { createResources } from "../system/resources.js";
import { createRedactor } from "../terminal/redaction.js";
import { createInterruptSignal } from "../terminal/signals.js";
import { type StatusSink, withStatusLine } from "../terminal/status-line.js";
import { createTextSink } from "../terminal/text-sink.js";
import type { Host } from "./run.js";

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

/** The composition root: real streams, clock, environment, configuration, transport, prompts. */
export function createHost(process: ProcessLike, overrides: HostOverrides = {}): Host {
  const { env, platform } = process;
  const directories = resolveDirectories({ env, platform, home: homeFolder });
  const redactor = createRedactor(() => environmentSecrets(env));
  const clock = createClock(overrides);
  let interruption: AbortSignal | undefined;
  const signal = (): AbortSignal => {
    interruption ??= createInterruptSignal(process, clock.now);
    return interruption;
  };
  const processes = createProcessTable(process);
  const userId = process.geteuid?.() ?? null;
  const sinkOptions = { interruption: () => interruption, sleep: clock.sleep };
  let openedStderr: StatusSink | undefined;
  // Most runs write nothing to it.
  const stderr = (): StatusSink => {
    const sink = { ...sinkOptions, open: () => process.stderr, name: "stderr", mask: redactor.mask };
    openedStderr ??= withStatusLine(createTextSink(sink));
    return openedStderr;
  };
  const machine: Machine = {
    process,
    env,
    overrides,
    stdout: createTextSink({ ...sinkOptions, open: () => process.stdout, name: "stdout" }),
    get stderr() {
      return stderr();
    },
    resources: createResources(),
    redactor,
    clock,
    setTimer: overrides.setTimer ?? setTimer,
    systemTimeZone: overrides.systemTimeZone ?? (() => resolveSystemTimeZone(env["TZ"])),
    configFile:
      overrides.configFile ?? createConfigFile({ directory: directories.config, userId, processes, signal }),
    processes,
    userId,
    dataDirectory: directories.data,
    stateDirectory: directories.state,
    cacheDirectory: directories.cache,
    database: () =>
      requireTrustedPlace(
        { noun: "database", path: join(directories.data(), "local.db"), variable: "CALCTL_DATA_DIR" },
        userId,
      ),
    signal,
  };
  return {
    env,
    stdout: machine.stdout,
    get stderr() {
      return stderr();
    },
    isStuck: () => machine.stdout.isStuck || openedStderr?.isStuck === true,
    async loadContexts() {
      const { composeContext } = await import("./context.js");
      return (flags, frame) => composeContext(machine, { flags, frame, createHost });
    },
    close: () => machine.resources.closeAll(),
  };
}
