// Runs a program whose output is of interest only when it fails.
import { spawn } from "node:child_process";

/**
 * Resolves with the exit code (null after a signal) and with stdout and stderr as one text.
 * Outlives the program on Ctrl-C and SIGTERM, which are passed on, so that the caller can clean up.
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
    const pass = (signal) => child.kill(signal);
    process.on("SIGINT", pass);
    process.on("SIGTERM", pass);
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("SIGINT", pass);
      process.off("SIGTERM", pass);
      resolve({ code, output });
    });
  });
}
