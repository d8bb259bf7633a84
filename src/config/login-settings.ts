import { usageError } from "../errors.js";
import type { Config, Profile, ProfileKey } from "./config-file.js";
import { type Environment, readVariable, type Variable } from "./environment.js";
import { checkProfileName } from "./profile-store.js";
import { parseMediaType } from "./profile-values.js";
import { pickSetting, rethrowAsUsage, type Setting } from "./setting.js";
import { LOCAL_PROFILE } from "./settings.js";
import { addressText, isSameOrigin, parseRedirectUri, parseServiceUrl, type RedirectTarget } from "./urls.js";

/** Flags of `login`; undefined when not given. */
export interface LoginFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly authUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly redirectUri?: string | undefined;
  readonly mediaType?: string | undefined;
}

/** Where to sign in, from flags, environment and profile. */
export interface LoginSettings {
  /** Undefined when the address of the service is missing. */
  readonly target: LoginTarget | undefined;
  readonly authUrl: URL | undefined;
  readonly clientId: string | undefined;
  readonly redirectUri: Setting | undefined;
  /** `redirectUri`, parsed. */
  readonly redirect: RedirectTarget | undefined;
  readonly mediaType: string | undefined;
}

/** The service to sign in to, and the profile for it. */
export interface LoginTarget {
  readonly profile: string;
  readonly baseUrl: URL;
  /** The profile's base_url until now if it is another service; null otherwise. */
  readonly previousBaseUrl: string | null;
}

/**
 * Reads the settings of `login`: flags, then environment, then the profile if it exists. Settings of a profile are not
 * used for another service.
 * @throws CliError usage for the profile `local` and for wrong flags, configuration for a wrong variable or profile
 */
export function readLoginSettings(flags: LoginFlags, env: Environment, config: Config): LoginSettings {
  const chosen = chosenProfile(flags, env, config);
  const known = chosen === undefined ? undefined : config.profiles.get(chosen);
  const address = pick(
    "base_url",
    { flag: ["--base-url", flags.baseUrl], env, variable: "CALCTL_BASE_URL" },
    known,
  );
  const target =
    address === undefined ? undefined : createTarget(parse(address, parseServiceUrl), chosen, config);
  const existing = target === undefined ? known : config.profiles.get(target.profile);
  const sources = { env, variable: undefined };
  const profile = target !== undefined && target.previousBaseUrl !== null ? undefined : existing;
  const mediaType = pick("media_type", { flag: ["--media-type", flags.mediaType], ...sources }, profile);
  const authUrl = pick(
    "auth_url",
    { flag: ["--auth-url", flags.authUrl], env, variable: "CALCTL_AUTH_URL" },
    profile,
  );
  const redirectUri = pick(
    "redirect_uri",
    { flag: ["--redirect-uri", flags.redirectUri], ...sources },
    profile,
  );
  const clientIdFlag = ["--client-id", flags.clientId] as const;
  return {
    target,
    authUrl: authUrl && parse(authUrl, parseServiceUrl),
    clientId: pick("client_id", { flag: clientIdFlag, env, variable: "CALCTL_CLIENT_ID" }, profile)?.value,
    redirectUri,
    redirect: redirectUri && parse(redirectUri, parseRedirectUri),
    mediaType: mediaType && parse(mediaType, parseMediaType),
  };
}

/** The keys of the profile that a login sets. */
export function profileChanges(target: LoginTarget, settings: LoginSettings): Profile {
  const { authUrl, clientId, redirectUri, mediaType } = settings;
  const changes = {
    base_url: addressText(target.baseUrl),
    auth_url: authUrl === undefined ? undefined : addressText(authUrl),
    client_id: clientId,
    redirect_uri: redirectUri?.value,
    media_type: mediaType,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** The profile that was named or is in use; undefined when that is `local`, so that a new one is created. */
function chosenProfile(flags: LoginFlags, env: Environment, config: Config): string | undefined {
  if (flags.profile === LOCAL_PROFILE) {
    throw usageError(
      "the profile `local` is the embedded service and needs no login",
      "choose another profile with --profile",
    );
  }
  const named = flags.profile ?? readVariable(env, "CALCTL_PROFILE") ?? config.profile;
  return named === undefined || named === LOCAL_PROFILE ? undefined : checkProfileName(named);
}

function createTarget(baseUrl: URL, chosen: string | undefined, config: Config): LoginTarget {
  const profile = chosen ?? newProfileName(baseUrl, config);
  const before = config.profiles.get(profile)?.base_url;
  const isOther = before !== undefined && !isSameOrigin(before, baseUrl);
  return { profile, baseUrl, previousBaseUrl: isOther ? before : null };
}

interface Sources {
  readonly flag: readonly [name: string, value: string | undefined];
  readonly env: Environment;
  readonly variable: Variable | undefined;
}

function pick(key: ProfileKey, { flag, env, variable }: Sources, profile: Profile | undefined) {
  const value = profile?.[key];
  const known: Setting | undefined =
    value === undefined || value === ""
      ? undefined
      : { value, source: `the profile's ${key}`, origin: "profile" };
  return pickSetting(
    { name: flag[0], value: flag[1] },
    { name: variable ?? key, value: variable === undefined ? undefined : readVariable(env, variable) },
    known,
  );
}

/** A wrong value is exit 2 from a flag, and exit 10 from the environment or a profile. */
function parse<T>(setting: Setting, read: (text: string, source: string) => T): T {
  const { value, source, origin } = setting;
  return origin === "flag" ? rethrowAsUsage(() => read(value, source)) : read(value, source);
}

/** The service's host, with port and number if another service's profile has that name. */
function newProfileName(baseUrl: URL, config: Config): string {
  const host = baseUrl.hostname.replace(/^\[|\]$/g, "").replace(/[^\p{L}\p{N}.-]+/gu, "-");
  const base =
    /^[\p{L}\p{N}]/u.test(host) && host !== LOCAL_PROFILE ? host : `host-${host.replace(/^-+/, "")}`;
  const withPort = baseUrl.port === "" ? base : `${base}-${baseUrl.port}`;
  const isFree = (name: string) => {
    const existing = config.profiles.get(name);
    return existing === undefined || existing.base_url === addressText(baseUrl);
  };
  for (const name of [base, withPort]) if (isFree(name)) return name;
  for (let number = 2; ; number += 1) if (isFree(`${withPort}-${number}`)) return `${withPort}-${number}`;
}
