import { configurationError } from "../errors.js";

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
