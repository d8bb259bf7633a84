import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createFolderForOthers } from "./folder-for-others.js";
import type { RunResult } from "./harness.js";
import { temporaryFolder } from "./temporary-folder.js";

/** The built program. */
export const PROGRAM = fileURLToPath(new URL("../../dist/calctl.js", import.meta.url));

/** Copies the program without its packages to a folder that every user can read, unlike perhaps the checkout. */
export function copyProgram(): string {
  const copy = createFolderForOthers("calctl-copy-");
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(dirname(PROGRAM), copy, { recursive: true });
  return join(copy, basename(PROGRAM));
}

export interface Installation {
  /** The home folder, which contains all data of the program. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs the program to its end. */
  run(...argv: readonly string[]): Promise<RunResult>;
  runWith(options: SpawnOptions, ...argv: readonly string[]): Promise<RunResult>;
  /** Runs a line of bash in which `calctl` is the program. */
  shell(line: string): Promise<RunResult>;
  /** Starts the program and leaves it running; it is killed when the test ends. */
  start(...argv: readonly string[]): Running;
  startWith(options: SpawnOptions, ...argv: readonly string[]): Running;
  /** Starts a line of bash on a new terminal, in which `calctl` is the program; stdout and stderr are one stream. */
  startOnTerminal(line: string, env?: Readonly<Record<string, string>>): Running;
}

interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Tomorrow in UTC: within the next seven days in every zone, also when the clock passes midnight during a run. */
export const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

export interface Running {
  readonly child: ChildProcess;
  /** Resolves with everything on stdout so far when it contains the text. */
  stdoutWith(text: string): Promise<string>;
  /** The same for stderr. */
  stderrWith(text: string): Promise<string>;
  readonly ended: Promise<RunResult>;
}

/**
 * A machine on which the program has never run: an empty home folder and a clean environment.
 * @param command what starts the program
 */
export function createInstallation(
  extra: Readonly<Record<string, string>> = {},
  command: readonly [string, ...string[]] = [process.execPath, PROGRAM],
): Installation {
  const [file, ...leading] = command;
  const prelude = `calctl() { ${command.map((word) => `"${word}"`).join(" ")} "$@"; };`;
  const home = temporaryFolder();
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TZ: "Europe/Berlin",
    LC_ALL: "C.UTF-8",
    ...extra,
  };

  const startWith = (options: SpawnOptions, command: string, args: readonly string[]): Running => {
    const child = spawn(command, args, { env: { ...env, ...options.env }, stdio: "pipe" });
    // It may end without having read its stdin.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.stdin ?? "");
    return follow(child);
  };
  const startProgram: Installation["startWith"] = (options, ...argv) => {
    const running = startWith(options, file, [...leading, ...argv]);
    onTestFinished(() => void running.child.kill("SIGKILL"));
    return running;
  };
  return {
    home,
    env,
    run: (...argv) => startWith({}, file, [...leading, ...argv]).ended,
    runWith: (options, ...argv) => startWith(options, file, [...leading, ...argv]).ended,
    shell: (line) => startWith({}, "bash", ["-c", `set -o pipefail; ${prelude} ${line}`]).ended,
    start: (...argv) => startProgram({}, ...argv),
    startWith: startProgram,
    startOnTerminal: (line, more = {}) => {
      const child = spawn("script", ["-qec", `bash -c '${prelude} ${line}'`, "/dev/null"], {
        env: { ...env, ...more },
        stdio: "pipe",
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return follow(child);
    },
  };
}

export function follow(child: ChildProcess): Running {
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const ended = new Promise<RunResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ exitCode: code ?? signalCode(signal), stdout: stdout.text(), stderr: stderr.text() });
    });
  });
  return {
    child,
    ended,
    stdoutWith: (text) => stdout.with(text, ended),
    stderrWith: (text) => stderr.with(text, ended),
  };
}

interface Collected {
  text(): string;
  /** Resolves with everything so far when it contains the text; rejects if the program ends first. */
  with(text: string, ended: Promise<RunResult>): Promise<string>;
}

function collect(stream: Readable | null): Collected {
  let all = "";
  const waiting = new Set<() => void>();
  stream?.on("data", (chunk: Buffer) => {
    all += chunk.toString("utf8");
    for (const check of waiting) check();
  });
  return {
    text: () => all,
    with: (text, ended) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!all.includes(text)) return;
          waiting.delete(check);
          resolve(all);
        };
        waiting.add(check);
        void ended.then((result) => reject(new Error(`it ended before: ${JSON.stringify(result)}`)));
        check();
      }),
  };
}

/** As a shell reports it. */
function signalCode(signal: NodeJS.Signals | null): number {
  return signal === "SIGINT" ? 130 : signal === "SIGTERM" ? 143 : 1;
}
