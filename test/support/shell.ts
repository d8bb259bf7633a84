import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Harness, RunResult } from "./harness.js";
import { follow } from "./spawned.js";

/**
 * Each `calctl` puts its arguments and its stdin into a folder, and waits there for the result. A list does not read
 * stdin: as an argument of another command, it would take what is meant for that one.
 */
const CALCTL = `calctl() {
  call="$(mktemp -d "$HOME/call-XXXXXX")"
  case "$*" in *list*) : ;; *) cat ;; esac >"$call/in"
  printf '%s\\0' "$@" >"$call/argv"
  mkfifo "$call/code"
  echo "$call" >&3
  read -r code <"$call/code"
  cat "$call/out"
  cat "$call/err" >&2
  return "$code"
}
`;

/** Runs a script of `sh` in the folder of the harness, in which `calctl` is a run in this process. */
export async function runScript({ runWith, directory }: Harness, script: string): Promise<RunResult> {
  const env = { PATH: process.env["PATH"], HOME: directory, LC_ALL: "C.UTF-8" };
  const child = spawn("sh", ["-ec", CALCTL + script], {
    env,
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  createInterface(child.stdio[3] as Readable).on("line", async (call) => {
    const read = (name: string) => readFileSync(join(call, name), "utf8");
    const argv = read("argv").split("\0").slice(0, -1);
    const { exitCode, stdout, stderr } = await runWith({ stdin: read("in") }, ...argv);
    writeFileSync(join(call, "out"), stdout);
    writeFileSync(join(call, "err"), stderr);
    writeFileSync(join(call, "code"), `${exitCode}\n`);
  });
  return follow(child).ended;
}
