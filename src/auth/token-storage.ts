import {
  type Config,
  type ConfigFile,
  findUnknownStore,
  type Profile,
  readTokenRecord,
  type TokenRecord,
} from "../config/config-file.js";
import {
  checkReplacement,
  type LoginSettings,
  type LoginTarget,
  profileChanges,
} from "../config/login-settings.js";
import type { OpenStore, SecretStore, TokenKey } from "./stores/store.js";

interface StorageParts {
  readonly configFile: ConfigFile;
  readonly openStore: OpenStore;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

interface NewToken {
  readonly target: LoginTarget;
  readonly settings: LoginSettings;
  readonly store: SecretStore;
}

/** Stores a token and updates the profile. When that fails, profile and token stay as they were. @throws CliError */
export async function storeToken(
  token: string,
  { target, settings, store }: NewToken,
  parts: StorageParts,
): Promise<void> {
  const { configFile, signal } = parts;
  const key: TokenKey = { kind: "token", profile: target.profile, origin: target.baseUrl.origin };
  const record: TokenRecord = { store: store.name, origin: key.origin };
  const previous = findPreviousToken(configFile.read(), target.profile, parts.warn);
  const isSameEntry = previous?.store === record.store && previous.origin === record.origin;
  const replaced = isSameEntry ? await loadIfReadable(store, key) : null;
  try {
    await store.save(key, token);
    signal.throwIfAborted();
    await saveProfile(configFile, target, { changes: profileChanges(target, settings), record });
  } catch (error) {
    await restore({ key, store: record.store, replaced, written: token }, parts);
    throw error;
  }
  if (previous !== null && !isSameEntry) {
    await restore({ key: { ...key, origin: previous.origin }, store: previous.store, replaced: null }, parts);
  }
}

/** What a login changes in a profile. */
export interface LoginChanges {
  readonly changes: Profile;
  readonly record: TokenRecord;
}

/**
 * Creates or updates the profile of a login, and makes it the one in use. Drops the settings of another service.
 * @throws CliError usage if the profile is now of another service and must not be replaced
 */
export async function saveProfile(
  file: ConfigFile,
  target: Omit<LoginTarget, "previousBaseUrl">,
  { changes, record }: LoginChanges,
): Promise<void> {
  const { profile: name } = target;
  await file.update((config) => {
    const before = config.profiles.get(name) ?? {};
    const profile: Profile = {
      ...(checkReplacement(target, before) !== null ? timezoneOf(before) : before),
      ...changes,
      token_store: record.store,
      token_origin: record.origin,
    };
    return { ...config, profile: name, profiles: new Map(config.profiles).set(name, profile) };
  });
}

/** The one setting that belongs to the user and not to a service. */
function timezoneOf({ timezone }: Profile): Profile {
  return timezone === undefined ? {} : { timezone };
}

/** Removes the record of a token from a profile, unless another login has replaced it. */
export async function clearTokenRecord(file: ConfigFile, name: string, removed: TokenRecord): Promise<void> {
  await file.update((config) => {
    const { token_store: store, token_origin: origin, ...rest } = config.profiles.get(name) ?? {};
    if (store !== removed.store || origin !== removed.origin) return config;
    return { ...config, profiles: new Map(config.profiles).set(name, rest) };
  });
}

/**
 * Where the previous token of a profile is; null when there is none. An unknown store is only a warning, since it must
 * not make the profile unusable.
 */
export function findPreviousToken(
  config: Config,
  profile: string,
  warn: (text: string) => void,
): TokenRecord | null {
  const unknown = findUnknownStore(config, profile);
  if (unknown === null) return readTokenRecord(config, profile);
  warn(`a token of profile ${profile} may still be in "${unknown}", a store that this version does not know`);
  return null;
}

/** The token that is about to be replaced; undefined when it cannot be read, which must not stop the login. */
async function loadIfReadable(store: SecretStore, key: TokenKey): Promise<string | null | undefined> {
  try {
    return await store.load(key);
  } catch (_unreadable) {
    return undefined;
  }
}

interface RestoreOptions {
  readonly key: TokenKey;
  readonly store: TokenRecord["store"];
  /** The token that was there; null for none, undefined when it could not be read. */
  readonly replaced: string | null | undefined;
  /** The token of this login. A different one is of another login and stays. */
  readonly written?: string;
}

/** For restoring after Ctrl-C (ms). */
const RESTORE_TIMEOUT = 700;

/** Restores the content of a store. A failure is only a warning, since the login has its own error. */
async function restore(
  { key, store: name, replaced, written }: RestoreOptions,
  { openStore, warn, signal }: StorageParts,
): Promise<void> {
  if (replaced === undefined) return;
  const afterAbort = () => {
    const timeout = AbortSignal.timeout(RESTORE_TIMEOUT);
    return { interactive: () => false, signal: () => timeout };
  };
  try {
    const store = await openStore(name, signal.aborted ? afterAbort() : {});
    const found = written === undefined ? null : await store.load(key);
    if (found !== null && found !== written) return;
    if (replaced === null) await store.remove(key);
    else await store.save(key, replaced);
  } catch (_failed) {
    warn(
      replaced === null
        ? `a token of profile ${key.profile} for ${key.origin} may still be in the ${name}: remove it there`
        : `the previous token of profile ${key.profile} may be lost: calctl login --profile ${key.profile}`,
    );
  }
}
