import { readTimeZoneName, timeZoneHint } from "../../contract/time-zone-names.js";
import { usageError } from "../errors.js";
import { type Config, type ConfigFile, PROFILE_KEYS, type Profile, type ProfileKey } from "./config.js";
import { rethrowAsUsage } from "./environment.js";
import {
  checkTokenCommand,
  parseHours,
  parseMediaType,
  parseRedirectUri,
  parseServiceUrl,
  parseWeekStart,
} from "./profile-values.js";
import { findProfile, LOCAL_PROFILE } from "./settings.js";

export interface ProfileSummary {
  readonly name: string;
  /** Null for `local`. */
  readonly base_url: string | null;
  readonly in_use: boolean;
}

/** The keys of `local`, which has no address and needs no login. */
const LOCAL_KEYS: ReadonlySet<ProfileKey> = new Set([
  "calendar",
  "write_calendar",
  "timezone",
  "label",
  "duration",
  "hours",
  "week_start",
  "journal",
]);

/** The profiles of the configuration, for the commands `profiles` and `config`. */
export type ProfileStore = ReturnType<typeof createProfileStore>;

/** @param searchPath PATH, to find the program of a token command */
export function createProfileStore(file: ConfigFile, searchPath?: string) {
  /** @param create whether a missing profile is created */
  async function change(name: string, edit: (profile: Profile) => Profile, create = false): Promise<void> {
    await file.update((config) => {
      const profile = create ? config.profiles.get(name) : findProfile(config, name);
      return { ...config, profiles: new Map(config.profiles).set(name, edit(profile ?? {})) };
    });
  }

  return {
    /** Path of the configuration file, whether it exists or not. */
    get path() {
      return file.path;
    },
    list: () => listProfiles(file.read()),
    /** Makes a profile the one in use. @throws CliError configuration for an unknown profile */
    async use(name: string): Promise<void> {
      checkProfileName(name);
      await file.update((config) => {
        findProfile(config, name);
        return { ...config, profile: name };
      });
    },
    /** Leaves none in use if it was. @throws CliError configuration for an unknown profile */
    async remove(name: string): Promise<void> {
      if (name === LOCAL_PROFILE) throw usageError("the profile `local` cannot be removed");
      checkProfileName(name);
      await file.update((config) => {
        findProfile(config, name);
        const profiles = new Map(config.profiles);
        profiles.delete(name);
        return { ...config, ...(config.profile === name ? { profile: "" } : {}), profiles };
      });
    },
    /** Every key; null when it is not set. */
    values(name: string) {
      const profile = findProfile(file.read(), name) ?? {};
      return Object.fromEntries(PROFILE_KEYS.map((key) => [key, profile[key] ?? null])) as Record<
        ProfileKey,
        string | null
      >;
    },
    /** Sets a key; setting `base_url` creates a profile. @throws CliError usage for a wrong key or value */
    async set(name: string, key: string, value: string): Promise<void> {
      const known = parseKey(name, key);
      const stored = storedValue(known, value);
      checkValue(known, stored, searchPath);
      checkProfileName(name);
      await change(name, (profile) => ({ ...profile, [known]: stored }), known === "base_url");
    },
    async unset(name: string, key: string): Promise<void> {
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

/** @throws CliError usage for an unknown key, or one that `local` does not have */
function parseKey(profile: string, key: string): ProfileKey {
  const known = PROFILE_KEYS.find((candidate) => candidate === key);
  if (known === undefined) throw usageError(`unknown key "${key}"`, `keys: ${PROFILE_KEYS.join(", ")}`);
  if (profile === LOCAL_PROFILE && !LOCAL_KEYS.has(known)) {
    throw usageError(
      `the profile \`local\` has no ${key}: it is the embedded service`,
      `choose another profile with --profile; keys of \`local\`: ${[...LOCAL_KEYS].join(", ")}`,
    );
  }
  return known;
}

/** Days and zones may be written in upper and lower case. */
function storedValue(key: ProfileKey, value: string): string {
  if (key === "week_start" || key === "journal") return value.toLowerCase();
  return key === "timezone" ? (readTimeZoneName(value) ?? value) : value;
}

/** @throws CliError usage */
export function checkProfileName(name: string): string {
  if (isName(name)) return name;
  throw usageError(`"${name}" is not a valid profile name`, NAME_HINT);
}

/** What the user may name a profile or a target. */
export function isName(text: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}._@-]*$/u.test(text);
}

export const NAME_HINT = "use letters, digits and . _ @ -, beginning with a letter or digit";

/** Throw CliError, most of them configuration: see `rethrowAsUsage`. */
const CHECKS: Readonly<Partial<Record<ProfileKey, (value: string, key: string, path?: string) => unknown>>> =
  {
    base_url: parseServiceUrl,
    auth_url: parseServiceUrl,
    redirect_uri: parseRedirectUri,
    media_type: parseMediaType,
    token_command: checkTokenCommand,
    timezone(value) {
      if (readTimeZoneName(value) === null)
        throw usageError(`timezone: "${value}" is not a time zone`, timeZoneHint(value));
    },
    hours: parseHours,
    week_start: parseWeekStart,
    journal(value) {
      if (value !== "on" && value !== "off")
        throw usageError(`journal: "${value}" is not valid`, "write on or off");
    },
    calendar: checkCalendar,
    write_calendar: checkCalendar,
  };

function checkCalendar(value: string, key: string): void {
  if (value === "." || value === "..") throw usageError(`${key}: "${value}" is not a valid id`);
}

function checkValue(key: ProfileKey, value: string, searchPath: string | undefined): void {
  if (value === "")
    throw usageError(`${key}: the value is empty`, `to remove it: calctl config unset ${key}`);
  rethrowAsUsage(() => CHECKS[key]?.(value, key, searchPath));
}
