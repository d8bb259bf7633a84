import { writeSync } from "node:fs";
import { fileProblemOf } from "../../src/errors.js";
import { BROWSER_HELPER_ARGUMENT } from "../../src/system/helper-arguments.js";
import { VERSION } from "../../src/version.js";

/** What is loaded only when it is asked for. */
export interface Program {
  /** Answers the completion script of a shell. */
  complete(): unknown;
  /** Opens the address on stdin in the user's browser. */
  openBrowser(): unknown;
  run(): Promise<unknown>;
}

/** Before anything is loaded, since scripts check the version often; the stream of stdout alone takes a millisecond. */
function printVersion(): void {
  try {
    writeSync(1, `${VERSION}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPIPE") return;
    // A pipe that does not block, and is full.
    if (code === "EAGAIN") return void process.stdout.write(`${VERSION}\n`);
    process.exitCode = 1;
    process.stderr.write(`error: stdout could not be written (${fileProblemOf(error)})\n`);
  }
}

/** Does what the command line asks for with as little of the program as that needs. */
export function dispatch({ complete, openBrowser, run }: Program): void {
  const [first, ...others] = process.argv.slice(2);
  if (others.length === 0 && (first === "--version" || first === "-V")) printVersion();
  // Here, because code from a code cache cannot import() an ES module that is not in the bundle.
  else if (first === BROWSER_HELPER_ARGUMENT) openBrowser();
  // Asked at every Tab.
  else if (first === "__complete") complete();
  else void run();
}
