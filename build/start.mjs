// `npm start`: installs and builds if necessary, then runs the program in this process. Only the program writes to stdout.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runIfEntry } from "./entry.mjs";
import { ensureInstalled } from "./install.mjs";

const PROGRAM = fileURLToPath(new URL("../dist/calctl.js", import.meta.url));
const TOUR = fileURLToPath(new URL("../examples/tour.sh", import.meta.url));

async function start() {
  await ensureInstalled();
  const { ensureBuilt } = await import("./build.mjs");
  await ensureBuilt();
  const args = process.argv.slice(2);
  // Windows has no shell for the tour.
  if (args.length === 0 && process.platform !== "win32") return showTour();
  process.argv.splice(1, Infinity, PROGRAM, ...(args.length > 0 ? args : ["help"]));
  // npm changes to the package's folder, but relative paths in arguments are relative to the user's.
  if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  await import(pathToFileURL(PROGRAM).href);
}

const CLOSING = `
That was the tour; nothing of it is saved. The profile local has a calendar that is saved, from its first use on:

  npm start --silent -- add First event tomorrow 9am --yes
  npm start --silent -- agenda
  npm start --silent -- help

Here, npm start --silent -- stands for calctl; README.md says how to install calctl itself.
`;

/** Runs the commands of the tour in a HOME that is removed, each shown as it is typed. */
function showTour() {
  const home = mkdtempSync(join(tmpdir(), "calctl-tour-"));
  // The shell ends by Ctrl-C, and then the folder is removed.
  process.once("SIGINT", () => undefined);
  try {
    symlinkSync(PROGRAM, join(home, "calctl"));
    const own = Object.entries(process.env).filter(([name]) => !/^(?:CALCTL|XDG)_/.test(name));
    const env = { ...Object.fromEntries(own), HOME: home, PATH: `${home}${delimiter}${process.env.PATH}` };
    const { status } = spawnSync("sh", ["-ev", TOUR], { env, stdio: ["inherit", "inherit", 1] });
    process.exitCode = status ?? 130;
    if (status === 0) process.stdout.write(CLOSING);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

await runIfEntry(import.meta.url, start);
