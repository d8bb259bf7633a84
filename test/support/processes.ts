import { readdirSync, readFileSync } from "node:fs";

export interface ProcessSeen {
  readonly pid: number;
  /** Arguments, joined by blanks. */
  readonly commandLine: string;
  /** `NAME=value`, one after another. */
  readonly environment: string;
}

/** The processes of this machine that may be looked at. */
export function listProcesses(): readonly ProcessSeen[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => ({
    pid: Number(pid),
    commandLine: read(`/proc/${pid}/cmdline`).replaceAll("\0", " "),
    environment: read(`/proc/${pid}/environ`).replaceAll("\0", "\n"),
  }));
}

/** Processes that were started with a home folder. */
export function processesOf(home: string): readonly ProcessSeen[] {
  return listProcesses().filter(({ environment }) => environment.split("\n").includes(`HOME=${home}`));
}

/** Empty for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (_gone) {
    return "";
  }
}
