// Lets a script be run by itself and imported by another.
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Runs `main` when the module of that URL is what Node was started with; a failure is one line on stderr and exit 1. */
export async function runIfEntry(moduleUrl, main) {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(moduleUrl)) return;
  try {
    await main();
  } catch (error) {
    // Only what a script says itself is a plain Error; anything else is a bug, worth its stack.
    process.stderr.write(`error: ${error.name === "Error" ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}
