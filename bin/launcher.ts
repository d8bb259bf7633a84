#!/usr/bin/env node
import { BROWSER_HELPER_ARGUMENT, runBrowserHelper } from "../src/auth/browser/browser-helper.js";
import { VERSION } from "../src/version.js";

/** Defined by the build: file name of the part that completes. */
declare const __COMPLETION__: string;

/** The launcher is built as CommonJS, whose require() costs nothing; `node:module` takes a millisecond. */
declare const require: NodeJS.Require;

/** Before anything is loaded, since scripts check the version often. */
function printVersion(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    process.stderr.write(`error: stdout could not be written (${error.code})\n`);
  });
  process.stdout.write(`${VERSION}\n`);
}

async function launch(): Promise<void> {
  const { runBundle } = await import("./bundle.js");
  await runBundle(__dirname, require);
}

const [first, ...others] = process.argv.slice(2);
if (others.length === 0 && (first === "--version" || first === "-V")) printVersion();
// Here, because code from a code cache cannot import() an ES module that is not in the bundle.
else if (first === BROWSER_HELPER_ARGUMENT) void runBrowserHelper(process.stdin);
// Asked at every Tab.
else if (first === "__complete") require(`./${__COMPLETION__}`);
else void launch();
