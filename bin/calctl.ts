#!/usr/bin/env node
import { VERSION } from "../src/version.js";

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  // Scripts ask for it all the time: answered before anything is loaded.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exitCode = error.code === "EPIPE" ? 0 : 1;
  });
  process.stdout.write(`${VERSION}\n`);
} else {
  const [{ createHost }, { run }] = await Promise.all([import("../src/host.js"), import("../src/run.js")]);
  process.exitCode = await run(argv, createHost(process));
}
