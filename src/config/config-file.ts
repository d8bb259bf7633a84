import { join } from "node:path";
import { isJsonObject } from "../../contract/json.js";
import { CliError, configurationError, errorCodeOf } from "../errors.js";
import type { FileLockOptions } from "../system/file-lock.js";
import { distrustedError, type KeptFile, readTrustedFile, requireOwnFolder } from "../system/ownership.js";
import type { Config } from "./config.js";

/** Thrown when config.json is not valid JSON. The position is computed later, only if the error is shown. */
export class ConfigSyntaxError extends CliError {
  readonly text: string;

  constructor(path: string, text: string, cause: unknown) {
    super("configuration", `${brokenText(path)} it is not JSON`, { hint: FIX_HINT, cause });
    this.text = text;
  }
}

/** The file with the profiles. */
export interface ConfigFile {
  readonly path: string;
  /** @throws CliError configuration when the file cannot be read or is broken */
  read(): Config;
  /**
   * Changes the current content under a lock, so that no change of another process is lost. Replaces the whole file,
   * which only its owner can read.
   * @param edit a pure function. It is called twice: first to see whether it throws, before a folder or lock is created
   * @throws CliError configuration when the file is broken or cannot be written, and what `edit` throws; the file is
   * unchanged then
   */
  update(edit: (config: Config) => Config): Promise<void>;
  /**
   * Runs work while no other process changes secrets and what this file says of them.
   * @throws CliError configuration when others take too long or there is no place for a lock, and what `work` throws
   */
  lockSecrets<T>(work: () => Promise<T>): Promise<T>;
}

export interface ConfigFileOptions extends Omit<FileLockOptions, "signal"> {
  /** The folder; called when it is first needed. */
  readonly directory: () => string;
  /** Null on Windows. */
  readonly userId: number | null;
  /** Ends the wait for another process that is writing. */
  readonly signal?: () => AbortSignal;
}

/** Path of the configuration file of a folder. */
export function configPath(directory: string): string {
  return join(directory, "config.json");
}

/** The configuration file `config.json` of a folder. */
export function createConfigFile({
  directory,
  userId,
  signal,
  ...lockOptions
}: ConfigFileOptions): ConfigFile {
  const path = () => configPath(directory());
  const read = () => readConfig(path(), userId);
  const requireLocation = () => {
    requireOwnFolder(keptFile(path()), userId);
    return { directory: directory(), path: path(), lock: { ...lockOptions, signal: signal?.() } };
  };
  return {
    get path() {
      return path();
    },
    read,
    async update(edit) {
      edit(read());
      const location = requireLocation();
      const { updateConfigFile } = await import("./config-writer.js");
      await updateConfigFile(location, () => edit(read()));
    },
    async lockSecrets(work) {
      const location = requireLocation();
      const { lockSecrets } = await import("./config-lock.js");
      return lockSecrets(location, work);
    },
  };
}

/**
 * Without conf, which takes longer to load than Node takes to start.
 * @param userId null on Windows
 * @throws CliError configuration when the file cannot be read, is broken, or others decide what is in it, since it names
 * programs to run and where tokens are sent
 */
export function readConfig(path: string, userId: number | null): Config {
  let read: ReturnType<typeof readTrustedFile>;
  try {
    read = readTrustedFile(path, userId);
  } catch (cause) {
    if (errorCodeOf(cause) === "ENOENT") return { profiles: new Map() };
    const code = errorCodeOf(cause) ?? "unknown";
    throw configurationError(`the configuration ${path} cannot be read (${code})`, { cause });
  }
  if ("distrust" in read) throw distrustedError(keptFile(path), read.distrust);
  return parseConfig(read.text, path);
}

function keptFile(path: string): KeptFile {
  return { noun: "configuration", path, variable: "CALCTL_CONFIG_DIR" };
}

function parseConfig(text: string, path: string): Config {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ConfigSyntaxError(path, text, cause);
  }
  if (!isJsonObject(json)) throw brokenConfig(path, "it is not a JSON object");
  const { profile, profiles = {}, webhooks, ...others } = json;
  if (profile !== undefined && typeof profile !== "string")
    throw brokenConfig(path, '"profile" is not a string');
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(Object.keys(others).length === 0 ? {} : { others }),
    profiles: parseRecords(profiles, "profile", path),
    ...(webhooks === undefined ? {} : { webhooks: parseRecords(webhooks, "webhook", path) }),
  };
}

type StringRecord = Readonly<Record<string, string>>;

/** Objects of strings by name. Keeps unknown keys, which another version may have written. */
function parseRecords(
  json: unknown,
  noun: "profile" | "webhook",
  path: string,
): ReadonlyMap<string, StringRecord> {
  if (!isJsonObject(json)) throw brokenConfig(path, `"${noun}s" is not an object`);
  return new Map(
    Object.entries(json).map(([name, value]) => {
      const record = `${noun} "${name}"`;
      if (!isJsonObject(value)) throw brokenConfig(path, `${record} is not an object`);
      return [
        name,
        parseStrings(value, (key) => brokenConfig(path, `"${key}" of ${record} is not a string`)),
      ];
    }),
  );
}

function parseStrings(
  json: Readonly<Record<string, unknown>>,
  wrong: (key: string) => CliError,
): StringRecord {
  const strings: Record<string, string> = {};
  for (const [key, entry] of Object.entries(json)) {
    if (typeof entry !== "string") throw wrong(key);
    strings[key] = entry;
  }
  return strings;
}

const FIX_HINT = "fix the file, or move it away and set it up again";

function brokenConfig(path: string, what: string): CliError {
  return configurationError(`${brokenText(path)} ${what}`, { hint: FIX_HINT });
}

function brokenText(path: string): string {
  return `the configuration ${path} is broken:`;
}
