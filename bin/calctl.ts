#!/usr/bin/env node
import { VERSION } from "../src/version.js";

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  // Scripts ask for it all the time: answered before anything is loaded.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exitCode = error.code === "EPIPE" ? 0 : 1;
  });
  process.stdout.write(`${VERSION}\n`);
} else if (argv[0] === "--keychain-helper") {
  const { runKeychainHelper } = await import("../src/auth/keychain-helper.js");
  await runKeychainHelper(process);
} else if (argv[0] === "--browser-helper") {
  const { runBrowserHelper } = await import("../src/host/browser-helper.js");
  await runBrowserHelper(process.stdin);
} else {
  const [{ createHost }, { run }] = await Promise.all([import("../src/host.js"), import("../src/run.js")]);
  process.exitCode = await run(argv, createHost(process));
}
