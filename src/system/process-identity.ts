import { randomBytes } from "node:crypto";
import { errorCodeOf } from "../errors.js";
import { once } from "./once.js";

/** The part of Node's `process` that checks other processes. */
export interface ProcessSource {
  readonly pid: number;
  kill(pid: number, signal: 0): unknown;
}

/** A process, as files name it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Random: in containers, each run may have the same process id. */
  readonly run: string;
}

/** When first asked for: what makes it takes longer to load than most runs take for all their files. */
const ownRun = once(() => randomBytes(6).toString("hex"));

export function identityOf({ pid }: ProcessSource): ProcessIdentity {
  return { pid, run: ownRun() };
}

/**
 * Whether a process still runs. False also for a process that cannot be seen from here: of another machine or container.
 * A later process that was given the same id counts as this one.
 */
export function isRunning(source: ProcessSource, { pid, run }: ProcessIdentity): boolean {
  if (pid === source.pid) return run === ownRun();
  try {
    // Signal 0 only checks.
    source.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that it runs as another user.
    return errorCodeOf(error) !== "ESRCH";
  }
}
