import { isAbsolute, join } from "node:path";

export interface Directories {
  readonly config: string;
  /** Databases. */
  readonly data: string;
}

export interface DirectoryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's home folder. */
  readonly home: string;
}

/**
 * Where files live: CALCTL_*_DIR, else the XDG folder, else the platform's custom.
 * XDG values that are relative count as unset. @see XDG Base Directory Specification
 */
export function resolveDirectories({ env, platform, home }: DirectoryOptions): Directories {
  const defaults = platformDirectories({ env, platform, home });
  return {
    config: override(env["CALCTL_CONFIG_DIR"]) ?? defaults.config,
    data: override(env["CALCTL_DATA_DIR"]) ?? defaults.data,
  };
}

function platformDirectories({ env, platform, home }: DirectoryOptions): Directories {
  if (platform === "win32") {
    const local = env["LOCALAPPDATA"] ?? join(home, "AppData", "Local");
    return {
      config: join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "calctl"),
      data: join(local, "calctl"),
    };
  }
  if (platform === "darwin") {
    const support = join(home, "Library", "Application Support", "calctl");
    return { config: xdg(env["XDG_CONFIG_HOME"]) ?? support, data: xdg(env["XDG_DATA_HOME"]) ?? support };
  }
  return {
    config: xdg(env["XDG_CONFIG_HOME"]) ?? join(home, ".config", "calctl"),
    data: xdg(env["XDG_DATA_HOME"]) ?? join(home, ".local", "share", "calctl"),
  };
}

function override(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}

function xdg(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? join(value, "calctl") : undefined;
}
