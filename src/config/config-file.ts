import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError, configurationError, errorCodeOf } from "../errors.js";
import type { ProcessTable } from "../system/file-lock.js";

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

/** The configuration is no JSON. Where that begins is left to whoever can wait for the answer. */
export class ConfigSyntaxError extends CliError {
  readonly text: string;

  constructor(path: string, text: string, cause: unknown) {
    super("configuration", `${brokenText(path)} it is not JSON`, { hint: MEND, cause });
    this.text = text;
  }
}

/** The file that keeps the profiles. */
export interface ConfigFile {
  readonly path: string;
  /** @throws CliError configuration when the file cannot be read or is broken; it is never overwritten then */
  read(): Config;
  /**
   * Changes what is in the file at that moment; no change of another process is lost. The file is replaced as a whole
   * and readable by its owner alone.
   * @param edit is pure: it is called once to see whether it throws, before anything is made, and once for the change
   * @throws CliError configuration when the file cannot be written, and what `edit` throws: nothing is written then
   */
  update(edit: (config: Config) => Config): Promise<void>;
}

export interface ConfigFileOptions {
  /** The folder, worked out when it is first needed. */
  readonly directory: () => string;
  readonly processes: ProcessTable;
  /** Ends the wait for another process that writes. */
  readonly signal?: () => AbortSignal;
  /** Longest wait for it in milliseconds; by default the lock's own. */
  readonly timeout?: number;
}

/** The configuration in `config.json` of a folder. */
export function createConfigFile({ directory, signal, ...lockOptions }: ConfigFileOptions): ConfigFile {
  const path = () => join(directory(), "config.json");
  const read = () => readConfig(path());
  return {
    get path() {
      return path();
    },
    read,
    async update(edit) {
      edit(read());
      const { updateConfigFile } = await import("./config-writer.js");
      const lock = { ...lockOptions, signal: signal?.() };
      await updateConfigFile({ directory: directory(), path: path(), lock }, () => edit(read()));
    },
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
    throw new ConfigSyntaxError(path, text, cause);
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

const MEND = "mend the file, or move it away and set it up anew";

function brokenConfig(path: string, what: string): CliError {
  return configurationError(`${brokenText(path)} ${what}`, { hint: MEND });
}

function brokenText(path: string): string {
  return `the configuration ${path} is broken:`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
