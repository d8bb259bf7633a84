import { readdirSync, readFileSync } from "node:fs";
import { vi } from "vitest";

export interface ProcessSeen {
  readonly pid: number;
  /** Arguments, joined by spaces. */
  readonly commandLine: string;
  /** `NAME=value` pairs. */
  readonly environment: string;
}

/** The processes of this machine that can be inspected. */
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

/** Resolves with a matching process of a home folder when there is one. */
export async function awaitProcess(
  home: string,
  fits: (process: ProcessSeen) => boolean,
): Promise<ProcessSeen> {
  return vi.waitFor(
    () => {
      const found = processesOf(home).find(fits);
      if (found === undefined) throw new Error("no such process came");
      return found;
    },
    { timeout: 30_000 },
  );
}

/** Whether a process has a handler for SIGINT. */
export function handlesInterrupt({ pid }: ProcessSeen): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? "0";
  return (BigInt(`0x${caught}`) & 0b10n) !== 0n;
}

/** Sends a signal. A process that is still there a second later is killed, and so has another exit code. */
export function interrupt(pid: number, signal: NodeJS.Signals = "SIGINT"): void {
  process.kill(pid, signal);
  setTimeout(() => {
    if (read(`/proc/${pid}/cmdline`) !== "") process.kill(pid, "SIGKILL");
  }, 1_000).unref();
}

/** Empty for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (_gone) {
    return "";
  }
}
