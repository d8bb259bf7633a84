import { childEnvironment } from "../config/environment.js";
import { CliError, fileProblemOf, interruptedMidway } from "../errors.js";
import type { LocalizedEvent } from "../events/localized-event.js";
import { eventView } from "../events/views/event.js";
import { keysOf, textOf } from "../output/view.js";
import type { Machine } from "../run/machine.js";
import { batchFileHint, type ChildProcessResult, runChildProcess } from "../system/child-process.js";

/** What Linux takes as one variable, with its name and a NUL (bytes). @see execve(2), MAX_ARG_STRLEN */
const MAX_VARIABLE = 128 * 1024;

/** A program that is run for one event. */
interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  /** On its stdin. */
  readonly input: string;
  /** Beside the environment of this process without its secrets. A variable that is too large for the system is left out. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Each key of an event as a variable: lists and objects as tsv has them. */
export function eventVariables(event: LocalizedEvent): Record<string, string> {
  const variables = keysOf(eventView).map((key) => [
    `CALCTL_EVENT_${key.toUpperCase()}`,
    textOf(eventView, key, event),
  ]);
  return Object.fromEntries(variables);
}

/**
 * Runs a program to its end, without a shell; its output goes where that of this process goes.
 * @throws CliError failed when it cannot be started or ends with another code than 0
 */
export type RunProgram = (call: ProgramCall) => Promise<void>;

/**
 * Runs the programs of users.
 * @param options.warn says which variables were left out
 * @param options.again what starts a program again that was killed with this one, as a sentence
 */
export function createProgramRunner(
  {
    env,
    signal,
    process,
  }: Pick<Machine, "env" | "signal"> & {
    readonly process: Pick<Machine["process"], "platform" | "kill">;
  },
  { warn, again }: { readonly warn: (text: string) => void; readonly again: string },
): RunProgram {
  return async ({ program, args, input, variables }) => {
    const given = Object.entries(variables).map(
      ([name, value]) => [name, value.replaceAll("\0", "")] as const,
    );
    const fitting = given.filter(([name, value]) => Buffer.byteLength(`${name}=${value}\0`) <= MAX_VARIABLE);
    for (const [name] of given.filter((each) => !fitting.includes(each))) {
      warn(
        `${name} is larger than ${MAX_VARIABLE / 1024} KiB, which a variable cannot be: it is only on stdin`,
      );
    }
    let isStarted = false;
    const result = await runChildProcess({
      program,
      args,
      env: { ...childEnvironment(env), ...Object.fromEntries(fitting) },
      input,
      stdout: "inherit",
      stderr: "inherit",
      // It may wait for a person.
      timeout: Number.POSITIVE_INFINITY,
      maxOutput: Number.POSITIVE_INFINITY,
      signal: signal(),
      ...(process.platform !== "win32" && { killGroup: (leader) => process.kill(-leader, "SIGKILL") }),
      onStart: () => {
        isStarted = true;
      },
    }).catch((reason: unknown) => {
      // What the program had done by then is not known.
      const hint = `${program} was running and has been killed; ${again}`;
      throw isStarted ? interruptedMidway(reason, hint) : reason;
    });
    const problem = problemOf(result);
    if (problem !== null)
      throw new CliError("failed", `${program} ${problem}`, { hint: hintOf(result, program) });
  };
}

/** Null for a program that ended with 0. */
function problemOf(result: ChildProcessResult): string | null {
  if (result.kind === "not_started") return `cannot be started: ${fileProblemOf(result)}`;
  if (result.kind !== "exited" || result.exitCode === null) return "was ended by a signal";
  return result.exitCode === 0 ? null : `ended with exit code ${result.exitCode}`;
}

/** Jobs of cron have a short PATH. Undefined where the program says itself what is wrong. */
function hintOf(result: ChildProcessResult, program: string): string | undefined {
  if (result.kind !== "not_started") return undefined;
  if (result.code !== "ENOENT") return batchFileHint(program, result.code);
  return /[\\/]/.test(program) ? "check the path" : "not found in PATH: use its full path";
}
