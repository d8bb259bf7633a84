import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { createConfigFile } from "../config/config-file.js";
import { resolveDirectories } from "../config/directories.js";
import { configurationError } from "../errors.js";
import type { Machine } from "../machine.js";
import { resolveSystemTimeZone, setTimer } from "../system/clock.js";
import { requireTrustedPlace } from "../system/ownership.js";
import { createProcessTable } from "../system/process-table.js";

/** What the host has by then. */
export interface MachineParts
  extends Pick<Machine, "process" | "overrides" | "stdout" | "resources" | "redactor" | "clock" | "signal"> {
  readonly stderr: () => Machine["stderr"];
}

/** This machine, with its folders and its configuration. */
export function createMachine(parts: MachineParts): Machine {
  const { process, overrides, stdout, stderr, resources, redactor, clock, signal } = parts;
  const { env, platform } = process;
  const directories = resolveDirectories({ env, platform, home: homeFolder });
  const processes = createProcessTable(process);
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
