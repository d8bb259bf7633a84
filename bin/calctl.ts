import { createHost } from "../src/host.js";
import { run } from "../src/run.js";

/** Runs the command line; every handle is left to drain, so that no output is lost. */
async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), createHost(process));
}

void main();
