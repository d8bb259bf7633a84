import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { RunResult } from "../../support/harness.js";
import { follow, type Running } from "../../support/spawned.js";

/** A machine of its own with systemd as PID 1 and calctl installed, until the end of the test. */
export interface SystemdMachine {
  /** Runs a script of bash as root, in the folder of the package. */
  run(script: string): Promise<RunResult>;
  /** The same for a script that succeeds; its output. */
  succeed(script: string): Promise<string>;
  /** Leaves a script running until the end of the test. */
  start(script: string): Running;
  /** A port of 127.0.0.1 of this machine is reached in the other one under the same number. */
  forward(port: number): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("systemd-machine.sh", import.meta.url));
const CHECKOUT = fileURLToPath(new URL("../../..", import.meta.url));

/** Resolves when it has booted. Shows its journal if the test fails. */
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
  const start = (script: string): Running => {
    const enter = ["--target", init, "--all", "env", "-i", `PATH=${PATH}`];
    const inPackage = `cd /usr/local/lib/node_modules/calctl; ${script}`;
    return follow(spawn("nsenter", [...enter, "bash", "-ec", inPackage], { stdio: "pipe" }));
  };
  const run = (script: string) => start(script).ended;
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") process.stderr.write((await run("journalctl")).stdout);
  });
  return {
    run,
    start,
    async succeed(script) {
      const { exitCode, stdout, stderr } = await run(script);
      expect(exitCode, `${script}\n${stderr}`).toBe(0);
      return stdout;
    },
    async forward(port) {
      // Its network is its own, but a socket in its files can be reached from both.
      const path = `/var/${port}`;
      const server = createServer((socket) => connectBoth(socket, connect(port, "127.0.0.1")));
      server.listen(`/proc/${init}/root${path}`);
      await once(server, "listening");
      onTestFinished(() => void server.close());
      chmodSync(`/proc/${init}/root${path}`, 0o666);
      const relay = `require("net").createServer((socket) => {
        const other = require("net").connect("${path}");
        socket.on("error", () => other.destroy()).pipe(other).on("error", () => socket.destroy()).pipe(socket);
      }).listen(${port}, "127.0.0.1", () => console.log("ready"))`;
      await start(`exec node -e '${relay}'`).stdoutWith("ready");
    },
  };
}

function connectBoth(one: Socket, other: Socket): void {
  one.on("error", () => other.destroy()).pipe(other);
  other.on("error", () => one.destroy()).pipe(one);
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";
