import type { ChildProcess } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { errorCodeOf } from "../errors.js";

interface ChildProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to stdin; null for no stdin. */
  readonly input: string | null;
  /** By default it is kept for the result. */
  readonly stdout?: "inherit";
  /** `capture` keeps its beginning for the result. */
  readonly stderr: "inherit" | "ignore" | "capture";
  /** Longest time in milliseconds; Infinity for none. */
  readonly timeout: number;
  /** Largest size of stdout in bytes. */
  readonly maxOutput: number;
  readonly signal: AbortSignal;
  /** Called once the child may run: an interruption before that did nothing. */
  readonly onStart?: () => void;
  /** Ends a process group. With it the child leads one, and so has no terminal to read from. */
  readonly killGroup?: (leader: number) => unknown;
}

export type ChildProcessResult =
  /** The exit code is null if a signal ended it. */
  | {
      readonly kind: "exited";
      readonly exitCode: number | null;
      readonly stdout: string;
      /** "" if it was not captured. */
      readonly stderr: string;
    }
  | { readonly kind: "timeout" }
  | { readonly kind: "output_too_large" }
  /** With the system's error code. */
  | { readonly kind: "not_started"; readonly code: string };

/** How long to read the rest of stdout after the exit (ms): a grandchild may hold the pipe open. */
const DRAIN_TIMEOUT = 250;

/** How much of a captured stderr is kept (UTF-16 code units, and roughly bytes). */
const MAX_STDERR = 4096;

/**
 * Runs a child process to its end. Kills it after the timeout, when it writes too much, or when the signal aborts, and what
 * it started only where `killGroup` is given.
 * @throws the signal's reason
 */
export async function runChildProcess(options: ChildProcessOptions): Promise<ChildProcessResult> {
  const { program, args, env, input, stdout = "pipe", stderr, timeout, maxOutput, signal } = options;
  // Loaded only when needed, since most commands start no child: 2 ms.
  const { spawn } = await import("node:child_process");
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        env: { ...env },
        stdio: [input === null ? "ignore" : "pipe", stdout, stderr === "capture" ? "pipe" : stderr],
        windowsHide: true,
        detached: options.killGroup !== undefined,
      });
    } catch (error) {
      // Some failures are thrown: a name that is too long, a file as a folder, a NUL.
      resolve({ kind: "not_started", code: errorCodeOf(error) ?? "unknown" });
      return;
    }
    options.onStart?.();
    const chunks: Buffer[] = [];
    const errorChunks: Buffer[] = [];
    let [size, errorSize] = [0, 0];
    let drain: NodeJS.Timeout | undefined;
    const timer =
      timeout === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => stop(() => resolve({ kind: "timeout" })), timeout);
    const onAbort = () => stop(() => reject(signal.reason));
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      clearTimeout(drain);
      signal.removeEventListener("abort", onAbort);
      end();
    };
    // Does not wait for the pipes, which grandchildren may hold open.
    const stop = (end: () => void): void => {
      killRunning(child, options);
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.stdin?.destroy();
      child.unref();
      settle(end);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxOutput) stop(() => resolve({ kind: "output_too_large" }));
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      // What is beyond is read and dropped, so that the child does not wait for a full pipe.
      if (errorSize < MAX_STDERR) errorChunks.push(chunk);
      errorSize += chunk.length;
    });
    child.once("error", (error) =>
      settle(() => resolve({ kind: "not_started", code: errorCodeOf(error) ?? "unknown" })),
    );
    const exited = (exitCode: number | null): ChildProcessResult => ({
      kind: "exited",
      exitCode,
      stdout: Buffer.concat(chunks).toString("utf8"),
      stderr: Buffer.concat(errorChunks).toString("utf8").slice(0, MAX_STDERR),
    });
    child.once("exit", (exitCode) => {
      drain = setTimeout(() => stop(() => resolve(exited(exitCode))), DRAIN_TIMEOUT);
    });
    child.once("close", (exitCode) => settle(() => resolve(exited(exitCode))));
    // EPIPE from a child that does not read its input; its exit code is reported instead.
    child.stdin?.on("error", () => undefined);
    if (input !== null) child.stdin?.end(input);
  });
}

/** What a child that has ended left running goes on. */
function killRunning(child: ChildProcess, { killGroup }: Pick<ChildProcessOptions, "killGroup">): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    killGroup?.(child.pid);
  } catch (_justEnded) {
    // macOS refuses to signal a group of which nothing but its ended leader is left.
  }
  child.kill("SIGKILL");
}

/** What to do about a batch file of Windows, which Node does not start by itself; undefined for any other program. */
export function batchFileHint(program: string, code: string): string | undefined {
  const isBatchFile = code === "EINVAL" && /\.(?:bat|cmd)$/i.test(program);
  return isBatchFile ? `cmd runs batch files: cmd /c ${program}` : undefined;
}

/** The command that starts this program again. */
export type SelfCommand = readonly [program: string, ...args: string[]];

/** Node and the script that it runs, or the executable that contains both, which Node has for its script, too. */
export function selfCommand({
  execPath,
  argv,
}: {
  readonly execPath: string;
  readonly argv: readonly string[];
}): SelfCommand {
  const [, script] = argv;
  return script === undefined || script === execPath ? [execPath] : [execPath, script];
}

/**
 * The path of a program in the folders of PATH, and in further ones after them; undefined where it is in none.
 * Relative folders are left out: they would run whatever is in the current one.
 */
export function findProgram(
  name: string,
  path: string | undefined,
  further: readonly string[] = [],
): string | undefined {
  const folders = [...(path ?? "").split(delimiter).filter((folder) => isAbsolute(folder)), ...further];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** Whether a path is that of a file that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (_missing) {
    return false;
  }
}
