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
