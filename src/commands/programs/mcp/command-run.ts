import { Readable } from "node:stream";
import type { ProcessLike } from "../../../run/machine.js";
import type { Run } from "../../../run/run.js";
import type { WritableLike } from "../../../terminal/text-sink.js";

/** The error of a command, of which `errorShape` has all keys. */
export interface ErrorReport {
  readonly code: string;
  readonly exit_code: number;
  readonly message: string;
  readonly hint?: string | null | undefined;
}

/** Runs commands as another process with this environment would, with an empty stdin and nobody to ask. */
export function createCommandRunner({ program, flags, machine }: Run) {
  const { profile, timezone, timeout, retries, maxWait, verbose, debug } = flags;
  const values = {
    profile,
    timezone,
    timeout: timeout / 1000,
    retries,
    "max-wait": maxWait / 1000,
    output: "json",
  };
  const passed = [
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...Object.entries({ verbose, debug }).flatMap(([name, isOn]) => (isOn ? [`--${name}`] : [])),
  ];
  /**
   * @param cancelled interrupts the command when it aborts
   * @returns the JSON that the command printed, its error or null, and what else it said on stderr
   */
  return async (words: readonly string[], cancelled: AbortSignal) => {
    const interrupted = AbortSignal.any([machine.signal(), cancelled]);
    const [stdout, stderr, ended] = [createCapture(), createCapture(), new AbortController()];
    const once: ProcessLike["once"] = (name, listener) => {
      if (name !== "SIGINT") return;
      if (interrupted.aborted) listener();
      else interrupted.addEventListener("abort", listener, { once: true, signal: ended.signal });
    };
    const process = { ...detached(machine.process), stdout, stderr, once };
    const exitCode = await program.run([...passed, ...words], process, machine.overrides);
    ended.abort();
    const lines = stderr.text().split("\n").slice(0, -1);
    const error: ErrorReport | null = exitCode === 0 ? null : JSON.parse(lines.pop() ?? "").error;
    const isLogged = verbose || debug;
    if (isLogged || interrupted.aborted) await machine.stderr.write(stderr.text());
    const value: unknown = stdout.text() === "" ? undefined : JSON.parse(stdout.text());
    return { value, error, notes: isLogged ? [] : lines };
  };
}

function detached({ env, platform, execPath, pid, kill, geteuid }: ProcessLike) {
  const nothing = () => undefined;
  const stdin = Object.assign(Readable.from([]), { isTTY: false });
  const listeners = { rawListeners: () => [], removeAllListeners: nothing, on: nothing, off: nothing };
  return { env, platform, execPath, argv: [], pid, kill, geteuid, stdin, ...listeners };
}

/** A stream that keeps what is written to it. */
type Capture = WritableLike & { text(): string };

function createCapture(): Capture {
  let captured = "";
  return {
    isTTY: false,
    columns: undefined,
    write(text, done) {
      captured += text;
      done();
      return true;
    },
    on: () => undefined,
    text: () => captured,
  };
}
