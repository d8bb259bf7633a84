// The embedded service in a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Starts the service on a new sample. @returns what it prints when it listens, and what ends it */
export async function startService(program, { env, flags = ["--memory", "--rate-limit", "off"] }) {
  const args = ["service", "start", "--sample", "--port", "0", "-o", "json", ...flags];
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  return {
    ...JSON.parse(line),
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}
