import { dirname, join } from "node:path";
import { isJsonObject } from "../../contract/json.js";
import { CliError, configurationError, errorCodeOf, fileProblemOf } from "../errors.js";
import type { FileLockOptions } from "../system/file-lock.js";
import {
  distrustedError,
  type KeptPlace,
  makePrivateFolder,
  readTrustedFile,
  requireOwn,
  withoutByteOrderMark,
} from "../system/ownership.js";

/** The keys of a profile that users set. */
export const PROFILE_KEYS = [
  "base_url",
  "auth_url",
  "client_id",
  "redirect_uri",
  "media_type",
  "calendar",
  "write_calendar",
  "timezone",
  "label",
  "duration",
  "hours",
  "week_start",
  "token_command",
  "journal",
] as const;

export type ProfileKey = (typeof PROFILE_KEYS)[number];

/** The keys that login sets: where the token is stored, never the token. */
type TokenRecordKey = "token_store" | "token_origin";

export type Profile = Readonly<Partial<Record<ProfileKey | TokenRecordKey, string>>>;

/**
 * Where messages can be sent, as `targets add` saved it. Not a secret: the URL is in the store. Unknown keys, and values
 * that another version knows, are kept.
 */
export type TargetRecord = Readonly<Partial<Record<TargetKey, string>>>;

/** The kind of target, the store of its URL (none for mail), chat and topic of telegram, the addresses of mail. */
type TargetKey = "as" | "store" | "chat" | "topic" | "to" | "from" | "bcc";

export interface Config {
  /** The profile in use; undefined for `local`, "" for none, which older versions refuse. */
  readonly profile?: string;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** By name; undefined for none. */
  readonly targets?: ReadonlyMap<string, TargetRecord>;
  /** Members that only another version knows; writing keeps them. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** Which store has the token of a profile, and for which service. Not a secret. */
export interface TokenRecord {
  readonly store: StoreName;
  /** `https://host[:port]` of the service that issued it. */
  readonly origin: string;
}

export type StoreName = "keychain" | "file";

/** The token store of a profile when this version does not know it; null otherwise. */
export function findUnknownStore(config: Config, name: string): string | null {
  const { token_store: store } = config.profiles.get(name) ?? {};
  return store === undefined || isStoreName(store) ? null : store;
}

export function isStoreName(text: string): text is StoreName {
  return text === "keychain" || text === "file";
}

/** Where the token of a profile is; null when login stored none. @throws CliError configuration for an unknown store */
export function readTokenRecord(config: Config, name: string): TokenRecord | null {
  const { token_store: store, token_origin: origin } = config.profiles.get(name) ?? {};
  if (store === undefined || origin === undefined) return null;
  if (isStoreName(store)) return { store, origin };
  throw configurationError(
    `token_store of profile "${name}" is "${store}", which this version does not know (keychain, file)`,
    { hint: `sign in again: calctl login --profile ${name}; or remove it: calctl profiles remove ${name}` },
  );
}

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

interface ConfigFileOptions extends Omit<FileLockOptions, "signal"> {
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

/** How long to wait for others that change secrets (ms): a keychain may take seconds for each. */
const SECRETS_TIMEOUT = 30_000;

/** The configuration file `config.json` of a folder. */
export function createConfigFile({
  directory,
  userId,
  signal,
  ...lockOptions
}: ConfigFileOptions): ConfigFile {
  const path = () => configPath(directory());
  const read = () => readConfig(path(), userId);
  const runLocked = <T>(lock: string, work: () => Promise<T> | T, timeout?: number): Promise<T> => {
    // Who else may write to the folder is not asked: what the file says is not taken from other users.
    requireOwn({ ...keptFile(directory()), noun: "folder" }, userId, { isShared: true });
    const options = { ...(timeout !== undefined && { timeout }), ...lockOptions, signal: signal?.() };
    return withConfigLock({ path: path(), lockPath: join(directory(), lock) }, work, options);
  };
  return {
    get path() {
      return path();
    },
    read,
    async update(edit) {
      edit(read());
      // It handles signals from the moment it is loaded.
      const { default: Conf } = await import("conf");
      await runLocked("config.json.lock", () => {
        const { others, profiles, targets, ...own } = edit(read());
        const store = new Conf<Record<string, unknown>>({
          cwd: directory(),
          configName: "config",
          configFileMode: 0o600,
          accessPropertiesByDotNotation: false,
          deserialize: (text) => JSON.parse(withoutByteOrderMark(text)),
        });
        store.store = {
          ...others,
          ...own,
          profiles: Object.fromEntries(profiles),
          ...(targets === undefined ? {} : { targets: Object.fromEntries(targets) }),
        };
      });
    },
    lockSecrets: async (work) => runLocked("secrets.lock", work, SECRETS_TIMEOUT),
  };
}

interface ConfigLock {
  /** Of the configuration, for messages. */
  readonly path: string;
  readonly lockPath: string;
}

async function withConfigLock<T>(
  { path, lockPath }: ConfigLock,
  work: () => Promise<T> | T,
  options: FileLockOptions,
): Promise<T> {
  const { LockBusyError, withFileLock } = await import("../system/file-lock.js");
  try {
    makePrivateFolder(dirname(lockPath));
    return await withFileLock(lockPath, work, options);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const problem = `the configuration ${path} cannot be written`;
    if (!(cause instanceof LockBusyError))
      throw configurationError(`${problem} (${fileProblemOf(cause)})`, { cause });
    const who = cause.holder === null ? "other processes are" : `process ${cause.holder} is`;
    throw configurationError(`${problem}: ${who} writing it`, {
      hint: `try again; if no calctl is running, remove ${lockPath}`,
      cause,
    });
  }
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
    throw configurationError(`the configuration ${path} cannot be read (${fileProblemOf(cause)})`, { cause });
  }
  if ("distrust" in read) throw distrustedError(keptFile(path), read.distrust);
  return parseConfig(read.text, path);
}

function keptFile(path: string): KeptPlace {
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
  const { profile, profiles = {}, targets, ...others } = json;
  if (profile !== undefined && typeof profile !== "string")
    throw brokenConfig(path, '"profile" is not a string');
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(Object.keys(others).length === 0 ? {} : { others }),
    profiles: parseRecords(profiles, "profile", path),
    ...(targets === undefined ? {} : { targets: parseRecords(targets, "target", path) }),
  };
}

/** Objects of strings by name. Keeps unknown keys, which another version may have written. */
function parseRecords(json: unknown, noun: "profile" | "target", path: string) {
  if (!isJsonObject(json)) throw brokenConfig(path, `"${noun}s" is not an object`);
  for (const [name, record] of Object.entries(json)) {
    const source = `${noun} "${name}"`;
    if (!isJsonObject(record)) throw brokenConfig(path, `${source} is not an object`);
    const wrong = Object.entries(record).find(([, value]) => typeof value !== "string");
    if (wrong !== undefined) throw brokenConfig(path, `"${wrong[0]}" of ${source} is not a string`);
  }
  return new Map(Object.entries(json as Record<string, Readonly<Record<string, string>>>));
}

const FIX_HINT = "fix the file, or move it away and set it up again";

function brokenConfig(path: string, what: string): CliError {
  return configurationError(`${brokenText(path)} ${what}`, { hint: FIX_HINT });
}

function brokenText(path: string): string {
  return `the configuration ${path} is broken:`;
}
