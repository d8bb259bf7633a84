import { errorCodeOf } from "../errors.js";
import type { ProcessTable } from "../files/file-lock.js";

/** What is used of the process to look at others. */
export interface ProcessSource {
  readonly pid: number;
  kill(pid: number, signal: 0): unknown;
}

/** The processes of this machine, as far as this one may see them. */
export function createProcessTable(source: ProcessSource): ProcessTable {
  return {
    pid: source.pid,
    isRunning(pid) {
      try {
        // Sends nothing.
        source.kill(pid, 0);
        return true;
      } catch (error) {
        // EPERM: it runs and belongs to somebody else.
        return errorCodeOf(error) !== "ESRCH";
      }
    },
  };
}
