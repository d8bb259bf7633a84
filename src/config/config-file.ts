import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError, configurationError, errorCodeOf } from "../errors.js";

/** Keys a profile can hold. */
export const PROFILE_KEYS = [
  "base_url",
  "auth_url",
  "client_id",
  "redirect_uri",
  "media_type",
  "calendar",
  "timezone",
  "label",
  "token_command",
] as const;

export type ProfileKey = (typeof PROFILE_KEYS)[number];

/** What login remembers of the token it stored, never the token. */
export type TokenRecordKey = "token_store" | "token_origin";

export type Profile = Readonly<Partial<Record<ProfileKey | TokenRecordKey, string>>>;

export interface Config {
  /** The profile in use; undefined stands for `local`. */
  readonly profile?: string;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** What another version keeps in the file besides. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export interface ConfigFile {
  readonly path: string;
  /** @throws CliError configuration when the file cannot be read or is broken; it is never overwritten then */
  read(): Config;
  /** Replaces the file as a whole; it is readable by its owner alone. */
  write(config: Config): Promise<void>;
}

/** The configuration in `config.json` of a folder, which is worked out when it is first needed. */
export function createConfigFile(directory: () => string): ConfigFile {
  const path = () => join(directory(), "config.json");
  return {
    get path() {
      return path();
    },
    read: () => readConfig(path()),
    write: (config) => writeConfig(directory(), config),
  };
}

/** Reads without conf, which takes as long to load as Node itself to start. */
function readConfig(path: string): Config {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (errorCodeOf(cause) === "ENOENT") return { profiles: new Map() };
    throw configurationError(
      `the configuration ${path} cannot be read (${errorCodeOf(cause) ?? "unknown"})`,
      {
        cause,
      },
    );
  }
  return parseConfig(text, path);
}

function parseConfig(text: string, path: string): Config {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw brokenConfig(path, "it is not JSON", cause);
  }
  if (!isObject(json)) throw brokenConfig(path, "it holds no JSON object");
  const { profile, profiles = {}, ...others } = json;
  if (profile !== undefined && typeof profile !== "string") throw brokenConfig(path, '"profile" is no text');
  if (!isObject(profiles)) throw brokenConfig(path, '"profiles" is no object');
  const config = {
    ...(Object.keys(others).length === 0 ? {} : { others }),
    profiles: new Map(
      Object.entries(profiles).map(([name, value]) => [name, parseProfile(name, value, path)]),
    ),
  };
  return profile === undefined ? config : { profile, ...config };
}

/** Keys of other versions are kept, so that writing loses nothing. */
function parseProfile(name: string, value: unknown, path: string): Profile {
  if (!isObject(value)) throw brokenConfig(path, `profile "${name}" is no object`);
  const profile: Record<string, string> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry !== "string") throw brokenConfig(path, `"${key}" of profile "${name}" is no text`);
    profile[key] = entry;
  }
  return profile;
}

async function writeConfig(directory: string, config: Config): Promise<void> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { default: Conf } = await import("conf");
    const store = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName: "config",
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    const { others, ...own } = config;
    store.store = { ...others, ...own, profiles: Object.fromEntries(config.profiles) };
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const path = join(directory, "config.json");
    throw configurationError(
      `the configuration ${path} cannot be written (${errorCodeOf(cause) ?? "unknown"})`,
      {
        cause,
      },
    );
  }
}

function brokenConfig(path: string, what: string, cause?: unknown): CliError {
  return configurationError(`the configuration ${path} is broken: ${what}`, {
    hint: "mend the file, or move it away and set it up anew",
    cause,
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
