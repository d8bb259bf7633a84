import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { RunResult } from "./harness.js";
import { follow } from "./spawned.js";

/** A machine of its own with systemd as PID 1 and calctl installed, until the end of the test. */
export interface SystemdMachine {
  /** Runs a script of bash as root, in the folder of the package. */
  run(script: string): Promise<RunResult>;
}

const SCRIPT = fileURLToPath(new URL("systemd-machine.sh", import.meta.url));
const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** Resolves when it has booted. */
export async function startSystemdMachine(): Promise<SystemdMachine> {
  const folder = mkdtempSync(join(tmpdir(), "calctl-machine-"));
  const arguments_ = ["--mount", "bash", SCRIPT, folder, realpathSync(process.execPath), CHECKOUT];
  const machine = follow(spawn("unshare", arguments_, { stdio: "pipe" }));
  onTestFinished(async () => {
    machine.child.stdin?.end();
    await machine.ended;
    // It is empty: the machine's files are mounted on it in a namespace of its own.
    rmdirSync(folder);
  });
  const init = (await machine.stdoutWith("\n")).trim();
  return {
    run(script) {
      const enter = ["--target", init, "--all", "env", "-i", `PATH=${PATH}`];
      const inPackage = `cd /usr/local/lib/node_modules/calctl; ${script}`;
      return follow(spawn("nsenter", [...enter, "bash", "-ec", inPackage], { stdio: "pipe" })).ended;
    },
  };
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";
