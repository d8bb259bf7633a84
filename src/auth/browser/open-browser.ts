import { childEnvironment, type Environment } from "../../config/environment.js";
import { runChildProcess, type SelfCommand } from "../../system/child-process.js";
import { BROWSER_HELPER_ARGUMENT } from "../../system/helper-arguments.js";

/** Some launchers do not exit before the browser (ms). */
const TIMEOUT = 30_000;

/** Opens an address in the user's browser. @throws Error when the launcher fails */
export async function openBrowser(
  url: string,
  { self: [program, ...args], env }: { readonly self: SelfCommand; readonly env: Environment },
  signal: AbortSignal,
): Promise<void> {
  const result = await runChildProcess({
    program,
    args: [...args, BROWSER_HELPER_ARGUMENT],
    env: childEnvironment(env),
    input: url,
    stderr: "ignore",
    timeout: TIMEOUT,
    maxOutput: 1024 * 1024,
    signal,
  });
  if (result.kind === "not_started" || (result.kind === "exited" && result.exitCode !== 0)) {
    throw new Error("the browser could not be opened");
  }
}

/** Where the program runs. */
export interface BrowserEnvironment {
  readonly env: Environment;
  readonly platform: string;
}

/** Whether the user would see a browser that is opened on this machine. */
export function canShowBrowser({ env, platform }: BrowserEnvironment): boolean {
  if (isRemote(env)) return false;
  if (platform !== "linux" || isWsl({ env, platform })) return true;
  return Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["BROWSER"]);
}

/** Windows Subsystem for Linux, where the browser is a Windows program. */
function isWsl({ env, platform }: BrowserEnvironment): boolean {
  return platform === "linux" && Boolean(env["WSL_DISTRO_NAME"] || env["WSL_INTEROP"]);
}

/** How to sign in with a browser on another machine; null where it runs on this one. */
export function remoteHint(machine: BrowserEnvironment, port: number): string | null {
  if (isRemote(machine.env)) {
    return `if your browser runs on another machine, first run there: ssh -L ${port}:127.0.0.1:${port} HOST`;
  }
  if (isWsl(machine)) {
    return "if the browser cannot load the last page, paste its address here, or set networkingMode=mirrored in .wslconfig";
  }
  return null;
}

function isRemote(env: Environment): boolean {
  return Boolean(env["SSH_CONNECTION"] || env["SSH_TTY"]);
}
