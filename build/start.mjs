// `npm start`: installs and builds if necessary, then runs the program in this process. Only the program writes to stdout.
import { fileURLToPath, pathToFileURL } from "node:url";
import { runIfEntry } from "./entry.mjs";
import { ensureInstalled } from "./install.mjs";

const PROGRAM = fileURLToPath(new URL("../dist/calctl.js", import.meta.url));

async function start() {
  await ensureInstalled();
  const { ensureBuilt } = await import("./build.mjs");
  await ensureBuilt();
  const args = process.argv.slice(2);
  process.argv.splice(1, Infinity, PROGRAM, ...(args.length > 0 ? args : ["tour"]));
  // npm changes to the package's folder, but relative paths in arguments are relative to the user's.
  if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  await import(pathToFileURL(PROGRAM).href);
}

await runIfEntry(import.meta.url, start);
