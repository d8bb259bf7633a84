// The embedded service in a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Starts the service, on a new sample or on the database of `flags`.
 * @returns what it prints when it listens, and what ends it
 */
export async function startService(program, { env, flags, sample = true, node = process.execPath }) {
  const args = ["service", "start", ...(sample ? ["--sample"] : []), "--port", "0", "-o", "json", ...flags];
  const child = spawn(node, [program, ...args], { env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  return {
    ...JSON.parse(line),
    pid: child.pid,
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}
