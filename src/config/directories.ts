import { isAbsolute, join } from "node:path";

/** Each is worked out when it is asked for: where a variable decides, no home folder is needed. */
export interface Directories {
  config(): string;
  /** Databases. */
  data(): string;
  /** What is remembered between runs and may be lost without harm. */
  state(): string;
  /** What is worked out again where it is missing. */
  cache(): string;
}

export interface DirectoryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's home folder. @throws when there is none */
  readonly home: () => string;
}

/** What decides about one folder. */
interface Custom {
  readonly variable: string;
  readonly xdgVariable: string;
  /** Below the home folder, where the XDG variable is not set. */
  readonly xdgDefault: readonly string[];
  /** Below `Library` in the home folder, on macOS. */
  readonly macFolder: string;
  readonly windowsVariable: string;
  /** Below `AppData` in the home folder, where Windows' variable is not set. */
  readonly windowsDefault: string;
  /** Below calctl's own folder, on Windows. */
  readonly windowsFolder?: string;
}

const CONFIG: Custom = {
  variable: "CALCTL_CONFIG_DIR",
  xdgVariable: "XDG_CONFIG_HOME",
  xdgDefault: [".config"],
  macFolder: "Application Support",
  windowsVariable: "APPDATA",
  windowsDefault: "Roaming",
};

/** Windows: the folder that does not follow the user to other machines. */
const DATA: Custom = {
  variable: "CALCTL_DATA_DIR",
  xdgVariable: "XDG_DATA_HOME",
  xdgDefault: [".local", "share"],
  macFolder: "Application Support",
  windowsVariable: "LOCALAPPDATA",
  windowsDefault: "Local",
};

const STATE: Custom = {
  ...DATA,
  variable: "CALCTL_STATE_DIR",
  xdgVariable: "XDG_STATE_HOME",
  xdgDefault: [".local", "state"],
};

const CACHE: Custom = {
  ...DATA,
  variable: "CALCTL_CACHE_DIR",
  xdgVariable: "XDG_CACHE_HOME",
  xdgDefault: [".cache"],
  macFolder: "Caches",
  windowsFolder: "cache",
};

/**
 * Where files live: CALCTL_*_DIR, else the XDG folder, else the platform's custom.
 * XDG values that are relative count as unset. @see XDG Base Directory Specification
 */
export function resolveDirectories(options: DirectoryOptions): Directories {
  return {
    config: () => choose(CONFIG, options),
    data: () => choose(DATA, options),
    state: () => choose(STATE, options),
    cache: () => choose(CACHE, options),
  };
}

function choose(custom: Custom, { env, platform, home }: DirectoryOptions): string {
  const own = env[custom.variable];
  if (own !== undefined && own !== "") return own;
  if (platform === "win32") {
    const folder = env[custom.windowsVariable];
    const chosen =
      folder === undefined || folder === "" ? join(home(), "AppData", custom.windowsDefault) : folder;
    return join(chosen, "calctl", custom.windowsFolder ?? "");
  }
  const xdg = env[custom.xdgVariable];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "calctl");
  if (platform === "darwin") return join(home(), "Library", custom.macFolder, "calctl");
  return join(home(), ...custom.xdgDefault, "calctl");
}
