import { isTimeZone } from "../contract/date-time.js";
import { CliError, usageError } from "../errors.js";
import { type Config, type ConfigFile, PROFILE_KEYS, type Profile, type ProfileKey } from "./config-file.js";
import { parseMediaType, parseTokenCommand } from "./profile-values.js";
import { findProfile, LOCAL_PROFILE } from "./settings.js";
import { parseRedirectUri, parseServiceUrl } from "./urls.js";

export interface ProfileSummary {
  readonly name: string;
  /** Null for `local`. */
  readonly base_url: string | null;
  readonly in_use: boolean;
}

/** The profiles of the configuration, as `profiles` and `config` show and change them. */
export interface ProfileStore {
  /** Path of the configuration file, whether it exists or not. */
  readonly path: string;
  list(): readonly ProfileSummary[];
  /** Makes a profile the one in use. @throws CliError configuration when there is none of that name */
  use(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Every key; null for what is not set. */
  values(name: string): Readonly<Record<ProfileKey, string | null>>;
  /** Sets a key; `base_url` of a new name makes that profile. @throws CliError usage for a value that is wrong */
  set(name: string, key: string, value: string): Promise<void>;
  unset(name: string, key: string): Promise<void>;
}

/** What `local` can hold: it has no address and needs no login. */
const LOCAL_KEYS: ReadonlySet<ProfileKey> = new Set(["calendar", "timezone", "label"]);

export function createProfileStore(file: ConfigFile): ProfileStore {
  /** @param mayBeNew makes a profile that is not there */
  async function change(name: string, edit: (profile: Profile) => Profile, mayBeNew = false): Promise<void> {
    await file.update((config) => {
      const profile = mayBeNew ? config.profiles.get(name) : findProfile(config, name);
      return { ...config, profiles: new Map(config.profiles).set(name, edit(profile ?? {})) };
    });
  }

  return {
    get path() {
      return file.path;
    },
    list: () => listProfiles(file.read()),
    async use(name) {
      checkProfileName(name);
      await file.update((config) => {
        findProfile(config, name);
        return { ...config, profile: name };
      });
    },
    async remove(name) {
      if (name === LOCAL_PROFILE) throw usageError("the profile `local` cannot be removed");
      checkProfileName(name);
      await file.update(({ profile: inUse, ...config }) => {
        findProfile(config, name);
        const profiles = new Map(config.profiles);
        profiles.delete(name);
        return { ...config, ...(inUse === undefined || inUse === name ? {} : { profile: inUse }), profiles };
      });
    },
    values(name) {
      const profile = findProfile(file.read(), name) ?? {};
      return Object.fromEntries(PROFILE_KEYS.map((key) => [key, profile[key] ?? null])) as Record<
        ProfileKey,
        string | null
      >;
    },
    async set(name, key, value) {
      const known = parseKey(name, key);
      checkValue(known, value);
      checkProfileName(name);
      await change(name, (profile) => ({ ...profile, [known]: value }), known === "base_url");
    },
    async unset(name, key) {
      const known = parseKey(name, key);
      await change(name, ({ [known]: _, ...rest }) => rest);
    },
  };
}

function listProfiles(config: Config): readonly ProfileSummary[] {
  const inUse = config.profile ?? LOCAL_PROFILE;
  const names = new Set([LOCAL_PROFILE, ...config.profiles.keys()]);
  return [...names].map((name) => ({
    name,
    base_url: name === LOCAL_PROFILE ? null : (config.profiles.get(name)?.base_url ?? null),
    in_use: name === inUse,
  }));
}

/** @throws CliError usage for a key that is unknown, or that `local` cannot hold */
export function parseKey(profile: string, key: string): ProfileKey {
  const known = PROFILE_KEYS.find((candidate) => candidate === key);
  if (known === undefined) throw usageError(`there is no key "${key}"`, `keys: ${PROFILE_KEYS.join(", ")}`);
  if (profile === LOCAL_PROFILE && !LOCAL_KEYS.has(known)) {
    throw usageError(
      `the profile \`local\` has no ${key}: it is the embedded service`,
      `name the profile it is for: --profile NAME; \`local\` has ${[...LOCAL_KEYS].join(", ")}`,
    );
  }
  return known;
}

/** @throws CliError usage */
export function checkProfileName(name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@-]*$/u.test(name)) return name;
  throw usageError(
    `"${name}" is no name for a profile`,
    "use letters, digits, and . _ @ - behind the first one",
  );
}

function checkValue(key: ProfileKey, value: string): void {
  if (value === "")
    throw usageError(`${key}: the value is empty`, `to remove it: calctl config unset ${key}`);
  switch (key) {
    case "base_url":
    case "auth_url":
      asUsage(() => parseServiceUrl(value, key));
      return;
    case "redirect_uri":
      asUsage(() => parseRedirectUri(value, key));
      return;
    case "timezone":
      if (!isTimeZone(value))
        throw usageError(`timezone: there is no zone "${value}"`, "write a name such as Asia/Tokyo");
      return;
    case "media_type":
      asUsage(() => parseMediaType(value, key));
      return;
    case "token_command":
      asUsage(() => parseTokenCommand(value, key));
      return;
    case "client_id":
    case "calendar":
    case "label":
      return;
  }
}

/** What is wrong on a command line is exit 2, though the same value in the file would be exit 10. */
export function asUsage<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof CliError) throw usageError(error.message, error.hint);
    throw error;
  }
}
