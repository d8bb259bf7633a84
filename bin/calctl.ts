import { createHost } from "../src/host.js";
import { run } from "../src/run.js";

/** Runs the command line; every handle is left to drain, so that no output is lost. */
async function main(): Promise<void> {
  // Should nothing be left to wait for in the middle of a run, as after Ctrl-D at a question, it was interrupted.
  process.exitCode = 130;
  process.exitCode = await run(process.argv.slice(2), createHost(process));
}

void main();
