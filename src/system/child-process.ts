import { type ChildProcess, spawn } from "node:child_process";
import { errorCodeOf } from "../errors.js";

export type ChildEnvironment = Readonly<Record<string, string | undefined>>;

/** Variables of ours that hold secrets; what is added to those of the configuration belongs here too. */
const SECRETS = ["CALCTL_TOKEN", "CALCTL_CLIENT_SECRET"];

/** The environment as programs that we start may have it: without the secrets that are meant for us. */
export function childEnvironment(env: ChildEnvironment): ChildEnvironment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
}

export interface HelperRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: ChildEnvironment;
  /** What the child reads from stdin; null gives it none. */
  readonly input: string | null;
  /** Where what it says on stderr goes. */
  readonly stderr: "inherit" | "ignore";
  /** Longest time in milliseconds. */
  readonly limit: number;
  /** The most it may write, in bytes. */
  readonly outputMax: number;
  readonly signal: AbortSignal;
}

export type HelperResult =
  | { readonly kind: "ended"; readonly exitCode: number | null; readonly stdout: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "too_much" }
  /** The program could not be started, with the code of the system. */
  | { readonly kind: "not_started"; readonly code: string };

/** Longest time in milliseconds for what a child that has ended left in its pipe: others may hold that open. */
const DRAIN_LIMIT = 250;

/**
 * Runs a child to its end, or kills it when the time is over, it writes too much or the signal aborts. What the child
 * has started itself goes on: to end it too, the child would have to leave the terminal that it may ask at.
 * @throws the signal's reason
 */
export function runHelperProcess(run: HelperRun): Promise<HelperResult> {
  const { program, args, env, input, stderr, signal } = run;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        env: { ...env },
        stdio: [input === null ? "ignore" : "pipe", "pipe", stderr],
        windowsHide: true,
      });
    } catch (error) {
      // Some reasons are thrown at once: a name that is too long, a file for a folder, a NUL.
      resolve({ kind: "not_started", code: errorCodeOf(error) ?? "unknown" });
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let drain: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => stop(() => resolve({ kind: "timeout" })), run.limit);
    const onAbort = () => stop(() => reject(signal.reason));
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      clearTimeout(drain);
      signal.removeEventListener("abort", onAbort);
      end();
    };
    // Whoever inherited its pipes may keep them open: nothing waits for their end.
    const stop = (end: () => void): void => {
      child.kill("SIGKILL");
      child.stdout?.destroy();
      child.stdin?.destroy();
      child.unref();
      settle(end);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > run.outputMax) stop(() => resolve({ kind: "too_much" }));
    });
    child.once("error", (error) =>
      settle(() => resolve({ kind: "not_started", code: errorCodeOf(error) ?? "unknown" })),
    );
    const ended = (exitCode: number | null): HelperResult => ({
      kind: "ended",
      exitCode,
      stdout: Buffer.concat(chunks).toString("utf8"),
    });
    child.once("exit", (exitCode) => {
      drain = setTimeout(() => stop(() => resolve(ended(exitCode))), DRAIN_LIMIT);
    });
    child.once("close", (exitCode) => settle(() => resolve(ended(exitCode))));
    // A child that does not read is no error; how it ended says more.
    child.stdin?.on("error", () => undefined);
    if (input !== null) child.stdin?.end(input);
  });
}

/** Program and first arguments that start this program again. */
export type SelfCommand = readonly [program: string, ...args: string[]];

/** Node and the script it was started with. */
export function selfCommand({
  execPath,
  argv,
}: {
  readonly execPath: string;
  readonly argv: readonly string[];
}): SelfCommand {
  const [, script] = argv;
  return script === undefined ? [execPath] : [execPath, script];
}
