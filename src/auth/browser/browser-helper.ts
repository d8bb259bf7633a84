import { type ChildProcess, spawn } from "node:child_process";
import type { Environment } from "../../config/environment.js";
import { findProgram, isProgram } from "../../system/child-process.js";

/**
 * Opens the address on stdin with the first program of `$BROWSER` that exists, or else in the system's browser. A
 * separate process, because launchers may hang, and because they inherit its environment, which must not contain secrets.
 * @returns the exit code of the program that was started
 */
export async function runBrowserHelper(
  stdin: AsyncIterable<Uint8Array | string>,
  { env, platform }: { readonly env: Environment; readonly platform: string },
): Promise<number> {
  let url = "";
  for await (const chunk of stdin)
    url += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  const chosen = platform === "win32" ? undefined : chosenBrowser(env, url);
  return exitCodeOf(chosen === undefined ? await openBySystem(url) : await start(chosen));
}

type Command = readonly [program: string, ...args: string[]];

/**
 * The first command of `$BROWSER`, a list separated by colons, whose program exists. The address replaces `%s` in it, or
 * is its last argument. No shell is involved.
 */
export function chosenBrowser({ BROWSER = "", PATH }: Environment, url: string): Command | undefined {
  for (const command of BROWSER.split(":")) {
    // A path may contain blanks.
    const [name = "", ...args] = isProgram(command) ? [command] : command.trim().split(/\s+/);
    const program = name.includes("/") ? name : findProgram(name, PATH);
    if (program === undefined || !isProgram(program)) continue;
    const filled = args.map((arg) => arg.replaceAll("%s", () => url));
    return [program, ...filled, ...(args.some((arg) => arg.includes("%s")) ? [] : [url])];
  }
  return undefined;
}

async function openBySystem(url: string): Promise<ChildProcess> {
  const { default: open } = await import("open");
  return open(url);
}

/** Starts a program that outlives this process and has none of its streams. @throws Error when it cannot be started */
function start([program, ...args]: Command): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child));
  });
}

/** Waits for the program to exit; when the login is over, its process ends this one. */
function exitCodeOf(child: ChildProcess): Promise<number> {
  child.ref();
  return new Promise((resolve) => {
    const ended = () => resolve(child.exitCode ?? 1);
    if (child.exitCode !== null || child.signalCode !== null) ended();
    else child.once("exit", ended);
  });
}
