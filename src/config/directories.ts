import { isAbsolute, join } from "node:path";

/** Each is worked out when it is asked for: where a variable decides, no home folder is needed. */
export interface Directories {
  config(): string;
  /** Databases. */
  data(): string;
}

export interface DirectoryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's home folder. @throws when there is none */
  readonly home: () => string;
}

/**
 * Where files live: CALCTL_*_DIR, else the XDG folder, else the platform's custom.
 * XDG values that are relative count as unset. @see XDG Base Directory Specification
 */
export function resolveDirectories({ env, platform, home }: DirectoryOptions): Directories {
  return {
    config: () => override(env["CALCTL_CONFIG_DIR"]) ?? configDirectory({ env, platform, home }),
    data: () => override(env["CALCTL_DATA_DIR"]) ?? dataDirectory({ env, platform, home }),
  };
}

function configDirectory({ env, platform, home }: DirectoryOptions): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(home(), "AppData", "Roaming"), "calctl");
  return (
    xdg(env["XDG_CONFIG_HOME"]) ?? (platform === "darwin" ? support(home) : join(home(), ".config", "calctl"))
  );
}

function dataDirectory({ env, platform, home }: DirectoryOptions): string {
  if (platform === "win32") return join(env["LOCALAPPDATA"] ?? join(home(), "AppData", "Local"), "calctl");
  return (
    xdg(env["XDG_DATA_HOME"]) ??
    (platform === "darwin" ? support(home) : join(home(), ".local", "share", "calctl"))
  );
}

function support(home: () => string): string {
  return join(home(), "Library", "Application Support", "calctl");
}

function override(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}

function xdg(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? join(value, "calctl") : undefined;
}
