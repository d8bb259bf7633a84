import { configurationError } from "../errors.js";
import type { Config, ConfigFile, Profile } from "./config-file.js";

/** Which store holds the token of a profile, and for which service: no secret. */
export interface TokenRecord {
  readonly store: StoreName;
  /** `https://host[:port]` of the service it was issued for. */
  readonly origin: string;
}

export type StoreName = "keychain" | "file";

/** The store of a profile's token where this version does not know it, as another version or a person named it. */
export function findUnknownStore(config: Config, name: string): string | null {
  const { token_store: store } = config.profiles.get(name) ?? {};
  return store === undefined || isStoreName(store) ? null : store;
}

function isStoreName(text: string): text is StoreName {
  return text === "keychain" || text === "file";
}

/** What login remembers of a profile's token; null when none was stored. @throws CliError configuration */
export function readTokenRecord(config: Config, name: string): TokenRecord | null {
  const { token_store: store, token_origin: origin } = config.profiles.get(name) ?? {};
  if (store === undefined || origin === undefined) return null;
  if (isStoreName(store)) return { store, origin };
  throw configurationError(
    `token_store of profile "${name}" is "${store}", which this version does not know (keychain, file)`,
    { hint: `sign in anew: calctl login --profile ${name}; or forget it: calctl profiles remove ${name}` },
  );
}

/** Forgets that a token was stored, unless another one was meanwhile; the profile stays. */
export async function clearTokenRecord(file: ConfigFile, name: string, removed: TokenRecord): Promise<void> {
  await file.update((config) => {
    const { token_store: store, token_origin: origin, ...rest } = config.profiles.get(name) ?? {};
    if (store !== removed.store || origin !== removed.origin) return config;
    return { ...config, profiles: new Map(config.profiles).set(name, rest) };
  });
}

export interface SignedInProfile {
  readonly name: string;
  readonly changes: Profile;
  readonly record: TokenRecord;
  /** Whether the profile was for another service: what it knew of that one is dropped. */
  readonly moved: boolean;
}

/** Makes or renews a profile that has just been signed in to, and makes it the one in use. */
export async function writeSignedIn(
  file: ConfigFile,
  { name, changes, record, moved }: SignedInProfile,
): Promise<void> {
  await file.update((config) => {
    const before = config.profiles.get(name) ?? {};
    const profile: Profile = {
      ...(moved ? timezoneOf(before) : before),
      ...changes,
      token_store: record.store,
      token_origin: record.origin,
    };
    return { ...config, profile: name, profiles: new Map(config.profiles).set(name, profile) };
  });
}

/** Calendars, labels and a command that prints a token belong to one service; a zone belongs to the user. */
function timezoneOf({ timezone }: Profile): Profile {
  return timezone === undefined ? {} : { timezone };
}
