import type { Environment } from "../../config/environment.js";
import { childEnvironment, runChildProcess, type SelfCommand } from "../../system/child-process.js";
import { BROWSER_HELPER_ARGUMENT } from "./browser-helper.js";

/** Some launchers end only with the browser. */
const LIMIT = 30_000;

/** Opens an address in the user's browser. @throws Error when the launcher says that it could not */
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
    timeout: LIMIT,
    maxOutput: 1024 * 1024,
    signal,
  });
  if (result.kind === "not_started" || (result.kind === "exited" && result.exitCode !== 0)) {
    throw new Error("the browser could not be opened");
  }
}

/** What tells where a browser would show. */
export interface BrowserSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** Whether a browser opened here would be seen by who typed the command. */
export function canShowBrowser({ env, platform }: BrowserSurroundings): boolean {
  if (isSet(env["SSH_CONNECTION"]) || isSet(env["SSH_TTY"])) return false;
  if (platform !== "linux" || isWsl({ env, platform })) return true;
  return isSet(env["DISPLAY"]) || isSet(env["WAYLAND_DISPLAY"]) || isSet(env["BROWSER"]);
}

/** Linux inside Windows, where the browser belongs to Windows. */
export function isWsl({ env, platform }: BrowserSurroundings): boolean {
  return platform === "linux" && (isSet(env["WSL_DISTRO_NAME"]) || isSet(env["WSL_INTEROP"]));
}

/** What helps when the browser runs elsewhere; null where it runs here. */
export function remoteHint(surroundings: BrowserSurroundings, port: number): string | null {
  const { env } = surroundings;
  if (isSet(env["SSH_CONNECTION"]) || isSet(env["SSH_TTY"])) {
    return `if your browser runs on another machine, run there first: ssh -L ${port}:127.0.0.1:${port} HOST`;
  }
  if (isWsl(surroundings)) {
    return "if the browser cannot load the last page, paste its address here, or set networkingMode=mirrored in .wslconfig";
  }
  return null;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
