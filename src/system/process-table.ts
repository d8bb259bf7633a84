import { errorCodeOf } from "../errors.js";

/** What locks need to know about processes. */
export interface ProcessTable {
  /** Process id of this process. */
  readonly pid: number;
  isRunning(pid: number): boolean;
}

/** The part of Node's `process` that checks other processes. */
export interface ProcessSource {
  readonly pid: number;
  kill(pid: number, signal: 0): unknown;
}

/** The processes of this machine. */
export function createProcessTable(source: ProcessSource): ProcessTable {
  return {
    pid: source.pid,
    isRunning(pid) {
      try {
        // Signal 0 only checks.
        source.kill(pid, 0);
        return true;
      } catch (error) {
        // EPERM means that it runs as another user.
        return errorCodeOf(error) !== "ESRCH";
      }
    },
  };
}
