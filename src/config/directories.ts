import { isAbsolute, join } from "node:path";
import { type KeptPlace, requireOwn } from "../system/ownership.js";

/**
 * The folders of the program, with XDG's default in the home folder, the folder in macOS' `Library`, Windows' variable with
 * its default in `AppData`, and a folder in our own there.
 */
const FOLDERS = {
  config: [".config", "Application Support", "APPDATA", "Roaming"],
  /** Databases, and tokens in files. On Windows the local folder, which is not copied to other machines of the user. */
  data: [".local/share", "Application Support", "LOCALAPPDATA", "Local"],
  /** What is remembered between runs. Without it jobs report and send again what they did before. */
  state: [".local/state", "Application Support", "LOCALAPPDATA", "Local"],
  cache: [".cache", "Caches", "LOCALAPPDATA", "Local", "cache"],
} as const;

/** Each is computed when called: with a variable set, no home folder is needed. */
export type Directories = { readonly [F in keyof typeof FOLDERS]: () => string };

export interface DirectoryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's home folder. @throws CliError when there is none */
  readonly home: () => string;
}

/**
 * Where files live: CALCTL_*_DIR, else the XDG folder, else the platform's convention.
 * Relative XDG values are ignored. @see XDG Base Directory Specification
 */
export function resolveDirectories(options: DirectoryOptions): Directories {
  const of = (name: keyof Directories) => () => resolveDirectory(name, options);
  return { config: of("config"), data: of("data"), state: of("state"), cache: of("cache") };
}

function resolveDirectory(name: keyof Directories, { env, platform, home }: DirectoryOptions): string {
  const [xdgDefault, library, variable, appData, inner = ""] = FOLDERS[name];
  const own = env[`CALCTL_${name.toUpperCase()}_DIR`];
  if (own) return own;
  if (platform === "win32") return join(env[variable] || join(home(), "AppData", appData), "calctl", inner);
  const xdg = env[`XDG_${name.toUpperCase()}_HOME`];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "calctl");
  if (platform === "darwin") return join(home(), "Library", library, "calctl");
  return join(home(), xdgDefault, "calctl");
}

/** One of these folders, which may be missing. @throws CliError configuration where others could put files or links into it */
export function requireOwnFolder(
  name: "data" | "state" | "cache",
  directories: Directories,
  userId: number | null,
): string {
  const variable = { data: "CALCTL_DATA_DIR", state: "CALCTL_STATE_DIR", cache: "CALCTL_CACHE_DIR" } as const;
  const place: KeptPlace = { noun: "folder", path: directories[name](), variable: variable[name] };
  return requireOwn(place, userId);
}
