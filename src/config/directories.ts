import { isAbsolute, join } from "node:path";

/** Folders of the program. Each is computed when called: with a variable set, no home folder is needed. */
export interface Directories {
  config(): string;
  /** Databases, and tokens in files. */
  data(): string;
  /** What is remembered between runs. Without it jobs report and send again what they did before. */
  state(): string;
  cache(): string;
}

export interface DirectoryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's home folder. @throws CliError when there is none */
  readonly home: () => string;
}

/** The variables and defaults of one folder. */
interface FolderRule {
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

const CONFIG: FolderRule = {
  variable: "CALCTL_CONFIG_DIR",
  xdgVariable: "XDG_CONFIG_HOME",
  xdgDefault: [".config"],
  macFolder: "Application Support",
  windowsVariable: "APPDATA",
  windowsDefault: "Roaming",
};

/** On Windows the local folder, which is not copied to other machines of the user. */
const DATA: FolderRule = {
  variable: "CALCTL_DATA_DIR",
  xdgVariable: "XDG_DATA_HOME",
  xdgDefault: [".local", "share"],
  macFolder: "Application Support",
  windowsVariable: "LOCALAPPDATA",
  windowsDefault: "Local",
};

const STATE: FolderRule = {
  ...DATA,
  variable: "CALCTL_STATE_DIR",
  xdgVariable: "XDG_STATE_HOME",
  xdgDefault: [".local", "state"],
};

const CACHE: FolderRule = {
  ...DATA,
  variable: "CALCTL_CACHE_DIR",
  xdgVariable: "XDG_CACHE_HOME",
  xdgDefault: [".cache"],
  macFolder: "Caches",
  windowsFolder: "cache",
};

/**
 * Where files live: CALCTL_*_DIR, else the XDG folder, else the platform's convention.
 * Relative XDG values are ignored. @see XDG Base Directory Specification
 */
export function resolveDirectories(options: DirectoryOptions): Directories {
  return {
    config: () => choose(CONFIG, options),
    data: () => choose(DATA, options),
    state: () => choose(STATE, options),
    cache: () => choose(CACHE, options),
  };
}

function choose(rule: FolderRule, { env, platform, home }: DirectoryOptions): string {
  const own = env[rule.variable];
  if (own !== undefined && own !== "") return own;
  if (platform === "win32") {
    const folder = env[rule.windowsVariable];
    const chosen =
      folder === undefined || folder === "" ? join(home(), "AppData", rule.windowsDefault) : folder;
    return join(chosen, "calctl", rule.windowsFolder ?? "");
  }
  const xdg = env[rule.xdgVariable];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "calctl");
  if (platform === "darwin") return join(home(), "Library", rule.macFolder, "calctl");
  return join(home(), ...rule.xdgDefault, "calctl");
}
