import { timeZoneHint } from "../../contract/time-zone-names.js";
import { configurationError } from "../errors.js";
import type { Config, ConfigFile, Profile, ProfileKey } from "./config.js";
import { type Environment, pickSetting, readVariable, type Setting } from "./environment.js";
import { originOf, parseHours, parseMediaType, parseWeekStart } from "./profile-values.js";
import { type RunSettings, readTimeZoneSetting } from "./run-settings.js";

/** The profile of the embedded service in this process. */
export const LOCAL_PROFILE = "local";

export interface SettingsInput {
  /** `--profile`; undefined when not given. */
  readonly profileFlag: string | undefined;
  readonly env: Environment;
  readonly config: Config;
}

type ServiceChoice =
  | { readonly kind: "local" }
  | {
      readonly kind: "remote";
      /** As written, not yet parsed. */
      readonly baseUrl: Setting;
      readonly mediaType: string | undefined;
    };

/** The service and account of a command. */
export interface ServiceSelection {
  /** Null when CALCTL_BASE_URL is set and no profile is. */
  readonly profile: string | null;
  readonly service: ServiceChoice;
  /** False where nothing chose it: no flag, no variable and no profile in use, only the default `local`. */
  readonly isChosen: boolean;
  /** Whether `local` is the only profile. */
  readonly isOnlyLocal: boolean;
  /** A key of the profile; undefined when it is not set, or without a profile. */
  setting(key: ProfileKey): Setting | undefined;
  /** Why a token of the environment must not be sent to this service; null when it may. */
  readonly environmentTokenConflict: () => string | null;
}

/**
 * Selects the service: `--profile`, then CALCTL_BASE_URL, then CALCTL_PROFILE, then the profile in use, then `local`.
 * A variable that is not reached may be empty.
 * @throws CliError configuration for a profile that is unknown or has no base_url, and when none is in use
 */
export function selectService(input: SettingsInput): ServiceSelection {
  const { profileFlag, env, config } = input;
  const variable = () => readVariable(env, "CALCTL_PROFILE");
  const baseUrl = profileFlag === undefined ? readVariable(env, "CALCTL_BASE_URL") : undefined;
  if (baseUrl !== undefined) return fromBaseUrl(config, baseUrl, variable() ?? null);
  const name = profileName(profileFlag, config, variable);
  const profile = findProfile(config, name);
  return {
    profile: name,
    service: serviceOf(name, profile),
    isChosen: (profileFlag ?? variable() ?? config.profile) !== undefined,
    isOnlyLocal: [...config.profiles.keys()].every((known) => known === LOCAL_PROFILE),
    setting: (key) => profileSetting(profile, name, key),
    environmentTokenConflict: () => findTokenConflict(input, name, profile),
  };
}

function fromBaseUrl(config: Config, value: string, name: string | null): ServiceSelection {
  const profile = name === null ? undefined : findProfile(config, name);
  const baseUrl: Setting = { value, source: "CALCTL_BASE_URL", origin: "environment" };
  return {
    profile: name,
    service: { kind: "remote", baseUrl, mediaType: mediaTypeOf(profile, name ?? "") },
    isChosen: true,
    isOnlyLocal: false,
    setting: (key) => profileSetting(profile, name ?? "", key),
    environmentTokenConflict: () => null,
  };
}

/** A token of the environment is only for CALCTL_BASE_URL, or else for the service of the profile in use. */
function findTokenConflict(
  { profileFlag, env, config }: SettingsInput,
  name: string,
  profile: Profile | undefined,
): string | null {
  if (name === LOCAL_PROFILE) return "the profile `local` needs no token";
  const baseUrl = readVariable(env, "CALCTL_BASE_URL");
  if (baseUrl !== undefined) {
    const origin = originOf(baseUrl);
    return origin !== null && origin === originOf(profile?.base_url ?? "")
      ? null
      : `it belongs to CALCTL_BASE_URL, and --profile ${name} is another service`;
  }
  const inUse = env["CALCTL_PROFILE"] || (config.profile ?? LOCAL_PROFILE);
  if (profileFlag === undefined || profileFlag === inUse) return null;
  return `it belongs to the profile in use (${inUse || "none"}), and --profile names another one`;
}

function serviceOf(name: string, profile: Profile | undefined): ServiceChoice {
  if (name === LOCAL_PROFILE) return { kind: "local" };
  const baseUrl = profileSetting(profile, name, "base_url");
  if (baseUrl === undefined) {
    throw configurationError(`the profile "${name}" has no base_url`, {
      hint: `set it: calctl config set base_url https://HOST/PATH --profile ${name}`,
    });
  }
  return { kind: "remote", baseUrl, mediaType: mediaTypeOf(profile, name) };
}

function mediaTypeOf(profile: Profile | undefined, name: string): string | undefined {
  const setting = profileSetting(profile, name, "media_type");
  return setting && parseMediaType(setting.value, setting.source);
}

/** The profile; undefined for `local` without settings. @throws CliError configuration for an unknown name */
export function findProfile(config: Config, name: string): Profile | undefined {
  const profile = config.profiles.get(name);
  if (profile !== undefined || name === LOCAL_PROFILE) return profile;
  throw configurationError(`unknown profile "${name}"`, { hint: `profiles: ${namesOf(config)}` });
}

function namesOf(config: Config): string {
  return [...new Set([LOCAL_PROFILE, ...config.profiles.keys()])].join(", ");
}

function profileSetting(profile: Profile | undefined, name: string, key: ProfileKey): Setting | undefined {
  const value = profile?.[key];
  if (value === undefined || value === "") return undefined;
  return { value, source: `${key} of profile "${name}"`, origin: "profile" };
}

/** The settings of a command, from flag, environment, profile or default. */
export interface Settings extends ServiceSelection {
  /** IANA zone of times in input and output, and of the beginning of a day. */
  readonly timezone: string;
  /** CALCTL_CALENDAR or the profile's calendar; undefined when there is no default. */
  readonly defaultCalendar: Setting | undefined;
  /** The same for new events, for which a profile may have another one. */
  readonly writeCalendar: Setting | undefined;
  /** The first day of a week in views, as `Date` counts: 0 is Sunday. */
  readonly weekStart: number;
  /** The hours of a clock in views. */
  readonly hours: 12 | 24;
}

export interface SettingsOptions {
  readonly run: RunSettings;
  readonly env: Environment;
  readonly configFile: ConfigFile;
  /** The zone of this machine; undefined when it has no IANA name. */
  readonly systemTimeZone: () => string | undefined;
  readonly note: (text: string) => void;
}

/** The settings of a run. @throws CliError when one is wrong */
export function readSettings(options: SettingsOptions): Settings {
  const { run, env, configFile } = options;
  const selection = selectService({ profileFlag: run.profile, env, config: configFile.read() });
  const calendarOf = (...keys: readonly ProfileKey[]) => {
    const profile = keys.map((key) => selection.setting(key)).find((setting) => setting !== undefined);
    return pickSetting({ flag: ["--calendar", undefined], variable: "CALCTL_CALENDAR" }, env, profile);
  };
  let timezone: string | undefined;
  return {
    ...selection,
    get timezone() {
      const setting = selection.setting("timezone");
      timezone ??= run.timezone ?? (setting && readTimeZoneSetting(setting)) ?? systemTimeZone(options);
      return timezone;
    },
    defaultCalendar: calendarOf("calendar"),
    writeCalendar: calendarOf("write_calendar", "calendar"),
    get hours() {
      const setting = selection.setting("hours");
      return setting === undefined ? 24 : parseHours(setting.value, setting.source);
    },
    get weekStart() {
      const setting = selection.setting("week_start");
      return setting === undefined ? MONDAY : parseWeekStart(setting.value, setting.source);
    },
  };
}

const MONDAY = 1;

function systemTimeZone({ env, systemTimeZone, note }: SettingsOptions): string {
  const zone = systemTimeZone();
  if (zone !== undefined) return zone;
  const variable = env["TZ"];
  const problem =
    variable === undefined
      ? "this machine's time zone has no IANA name"
      : `TZ: "${variable}" is not the name of a time zone`;
  note(`${problem}: using UTC (to use another, set TZ or --timezone; ${timeZoneHint(variable ?? "")})`);
  return "UTC";
}

/**
 * The name of the profile to use, whether it exists or not.
 * @param variable reads CALCTL_PROFILE
 * @throws CliError configuration when none is in use
 */
export function profileName(
  profileFlag: string | undefined,
  config: Config,
  variable: () => string | undefined,
): string {
  const name = profileFlag ?? variable() ?? config.profile ?? LOCAL_PROFILE;
  if (name !== "") return name;
  throw configurationError("no profile is in use", {
    hint: `calctl profiles use NAME, or -p NAME; profiles: ${namesOf(config)}`,
  });
}
