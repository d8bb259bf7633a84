// Lets a script run on its own and be imported by others.
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Runs `main` if Node was started with this module. An error is printed to stderr, with exit code 1. */
export async function runIfEntry(moduleUrl, main) {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(moduleUrl)) return;
  try {
    await main();
  } catch (error) {
    // The scripts throw plain Errors; any other class is a bug and is shown with its stack.
    process.stderr.write(`error: ${error.name === "Error" ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}
