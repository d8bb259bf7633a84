// Runs a program whose output is shown only if it fails.
import { spawn } from "node:child_process";

/**
 * Resolves with the exit code (null after a signal), and stdout and stderr as one text.
 * Passes SIGINT and SIGTERM on and waits for the program to end, so that the caller can clean up.
 */
export function runCaptured(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        output += text;
      });
    }
    const forward = (signal) => child.kill(signal);
    process.on("SIGINT", forward);
    process.on("SIGTERM", forward);
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("SIGINT", forward);
      process.off("SIGTERM", forward);
      resolve({ code, output });
    });
  });
}
