import { readdirSync, readFileSync } from "node:fs";
import { onTestFinished, vi } from "vitest";

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
    // Often, so that no state of a process is missed.
    { timeout: 120_000, interval: 5 },
  );
}

/** Whether a process handles the signals that end one. */
export function handlesInterrupt({ pid }: ProcessSeen): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? "0";
  return (BigInt(`0x${caught}`) & HANDLED) === HANDLED;
}

/** SIGHUP, SIGINT and SIGTERM: the bit of signal n is n - 1. */
const HANDLED = (1n << 0n) | (1n << 1n) | (1n << 14n);

/** How long a process may take to end on a machine that has much else to do; below what a test may take (ms). */
const TIME_TO_END = 40_000;

/** Sends a signal. A process that is still there TIME_TO_END later is killed, and so has another exit code. */
export function interrupt(pid: number, signal: NodeJS.Signals = "SIGINT"): void {
  process.kill(pid, signal);
  const timer = setTimeout(() => {
    if (read(`/proc/${pid}/cmdline`) === "") return;
    process.stderr.write(
      `process ${pid} was killed, since it had not ended ${TIME_TO_END} ms after ${signal}\n`,
    );
    process.kill(pid, "SIGKILL");
  }, TIME_TO_END);
  // Later, the number may be that of another process.
  onTestFinished(() => clearTimeout(timer));
}

/** Empty for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (_gone) {
    return "";
  }
}
