import {
  type Config,
  type ConfigFile,
  findUnknownStore,
  type Profile,
  readTokenRecord,
  type TokenRecord,
} from "../config/config.js";
import type { Environment } from "../config/environment.js";
import {
  checkReplacement,
  type LoginSettings,
  type LoginTarget,
  profileChanges,
} from "../config/login-settings.js";
import { findEnvironmentSecret, TOKEN } from "../secrets/environment-secret.js";
import type { SecretStore, TokenKey } from "../secrets/store.js";
import { type StorageDependencies, storeSecret } from "../secrets/store.js";

interface NewToken {
  readonly target: LoginTarget;
  readonly settings: LoginSettings;
  readonly store: SecretStore;
}

/** Stores a token and updates the profile. When that fails, profile and token stay as they were. @throws CliError */
export function storeToken(
  token: string,
  { target, settings, store }: NewToken,
  dependencies: StorageDependencies & { readonly configFile: ConfigFile },
): Promise<void> {
  const { configFile } = dependencies;
  const key: TokenKey = { kind: "token", profile: target.profile, origin: target.baseUrl.origin };
  const record: TokenRecord = { store: store.name, origin: key.origin };
  return configFile.lockSecrets(async () => {
    const previous = findPreviousToken(configFile.read(), target.profile, dependencies.warn);
    const place = previous && { key: { ...key, origin: previous.origin }, store: previous.store };
    await storeSecret(
      { key, value: token, store, previous: place },
      () => saveProfile(configFile, target, { changes: profileChanges(target, settings), record }),
      dependencies,
    );
  });
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

/** The source of a token that is used instead of the stored one; null when the stored one is used. */
export function findOverridingSource(config: Config, profile: string, env: Environment): string | null {
  const found = findEnvironmentSecret(env, TOKEN);
  if (found !== null && env[found.source] !== "") return found.source;
  return config.profiles.get(profile)?.token_command === undefined ? null : "token_command";
}
