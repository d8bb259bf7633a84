import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errorCodeOf } from "../errors.js";

/** The part of Node's `process` that checks other processes. */
export interface ProcessSource {
  readonly pid: number;
  kill(pid: number, signal: 0): unknown;
}

/** Whether there is a process with this id. */
export function isRunning(source: ProcessSource, pid: number): boolean {
  try {
    // Signal 0 only checks.
    source.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that it runs as another user.
    return errorCodeOf(error) !== "ESRCH";
  }
}

/** What tells a process from every other, also from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in clock ticks since the boot; null where the system does not say. */
  readonly started: string | null;
  /** Name of the machine. */
  readonly host: string;
  /** Its boot and the namespace of its process ids; empty where the system does not say. */
  readonly boot: string;
}

/** Tells whether processes that were noted in a file still run. */
export type ProcessIdentities = ReturnType<typeof createProcessIdentities>;

/** The processes of this machine. The clock is not asked, since it may be set at any time. */
export function createProcessIdentities(source: ProcessSource) {
  const started = readProcess(source.pid)?.started ?? null;
  const self: ProcessIdentity = { pid: source.pid, started, host: hostname(), boot: readBoot() };
  return {
    /** This process. */
    self,
    /** False also for a process that cannot be seen from here: of another machine, boot or container. */
    isRunning({ pid, started, host, boot }: ProcessIdentity): boolean {
      if (host !== self.host || boot !== self.boot || !isRunning(source, pid)) return false;
      const found = readProcess(pid);
      // Where there is no /proc, an id that was used again cannot be told.
      return found === null || (found.started === started && !found.isDead);
    },
  };
}

/** State and start of a process, from Linux' /proc; null without it. @see proc_pid_stat(5) */
function readProcess(pid: number): { readonly started: string; readonly isDead: boolean } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program comes before and may contain anything.
    const [state = "", ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // A zombie still has its id until its parent asks for its exit code.
    return { started: fields[18] ?? "", isDead: "ZXx".includes(state) };
  } catch (_unavailable) {
    return null;
  }
}

function readBoot(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch (_unavailable) {
    return "";
  }
}
