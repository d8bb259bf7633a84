import { usageError } from "../errors.js";
import type { Config, Profile } from "./config.js";
import { type Environment, pickSetting, readVariable, rethrowAsUsage, type Setting } from "./environment.js";
import { checkProfileName } from "./profile-store.js";
import {
  formatAddress,
  isSameOrigin,
  originOf,
  parseMediaType,
  parseRedirectUri,
  parseServiceUrl,
  type RedirectTarget,
} from "./profile-values.js";
import { LOCAL_PROFILE } from "./settings.js";

/** The next step when a service that a login names cannot be reached. */
export const CHECK_BASE_URL = "is --base-url right? Otherwise try again later: calctl login";

/** Flags of `login`; undefined when not given. */
export interface LoginFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly authUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly redirectUri?: string | undefined;
  readonly mediaType?: string | undefined;
  /** Whether the named profile may be of another service, which is then replaced. */
  readonly replace?: boolean | undefined;
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
  /** Whether the profile may be of another service, which is then replaced. */
  readonly replace: boolean;
  /** The profile's base_url until now if it is another service; null otherwise. */
  readonly previousBaseUrl: string | null;
}

/**
 * Reads the settings of `login`: flags, then environment, then the profile if it exists. Settings of a profile are not
 * used for another service.
 * @throws CliError usage for the profile `local`, for one of another service without `--replace` and for wrong flags,
 * configuration for a wrong variable or profile
 */
export function readLoginSettings(flags: LoginFlags, env: Environment, config: Config): LoginSettings {
  const named = namedProfile(flags, env);
  const current = named ?? (config.profile === LOCAL_PROFILE ? undefined : config.profile);
  const known = current === undefined ? undefined : config.profiles.get(current);
  const address = pickFor("base_url", { flags, env, profile: known });
  const baseUrl = address && parse(address, parseServiceUrl);
  const replace = flags.replace === true;
  const target = baseUrl && createTarget({ profile: named, baseUrl, replace }, current, config);
  const existing = target === undefined ? known : config.profiles.get(target.profile);
  const profile = target !== undefined && target.previousBaseUrl !== null ? undefined : existing;
  const pick = (key: LoginKey) => pickFor(key, { flags, env, profile });
  const authUrl = pick("auth_url");
  const redirectUri = pick("redirect_uri");
  const mediaType = pick("media_type");
  return {
    target,
    authUrl: authUrl && parse(authUrl, parseServiceUrl),
    clientId: pick("client_id")?.value,
    redirectUri,
    redirect: redirectUri && parse(redirectUri, parseRedirectUri),
    mediaType: mediaType && parse(mediaType, parseMediaType),
  };
}

/** The keys of the profile that a login sets. */
export function profileChanges(target: LoginTarget, settings: LoginSettings): Profile {
  const { authUrl, clientId, redirectUri, mediaType } = settings;
  const changes = {
    base_url: formatAddress(target.baseUrl),
    auth_url: authUrl === undefined ? undefined : formatAddress(authUrl),
    client_id: clientId,
    redirect_uri: redirectUri?.value,
    media_type: mediaType,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** The profile of `--profile` or CALCTL_PROFILE; undefined without one, and when the variable is `local`. */
function namedProfile(flags: LoginFlags, env: Environment): string | undefined {
  if (flags.profile === LOCAL_PROFILE) {
    throw usageError(
      "the profile `local` is the embedded service and needs no login",
      "choose another profile with --profile",
    );
  }
  const named = flags.profile ?? readVariable(env, "CALCTL_PROFILE");
  if (named !== undefined && named !== LOCAL_PROFILE) return checkProfileName(named);
  if (flags.replace === true) throw usageError("missing --profile, which --replace needs");
  return undefined;
}

interface NamedTarget extends Pick<LoginTarget, "baseUrl" | "replace"> {
  /** Undefined when none was named. */
  readonly profile: string | undefined;
}

function createTarget(named: NamedTarget, current: string | undefined, config: Config): LoginTarget {
  const target = { ...named, profile: named.profile ?? findProfileOf(named.baseUrl, current, config) };
  return { ...target, previousBaseUrl: checkReplacement(target, config.profiles.get(target.profile)) };
}

/**
 * Checks that a login may replace the service of the profile.
 * @returns the profile's base_url if it is another service; null otherwise
 * @throws CliError usage if it must not be replaced
 */
export function checkReplacement(
  { profile, baseUrl, replace }: Omit<LoginTarget, "previousBaseUrl">,
  before: Profile | undefined,
): string | null {
  const previous = before?.base_url;
  if (previous === undefined || isSameOrigin(previous, baseUrl)) return null;
  if (replace) return previous;
  throw usageError(
    `the profile "${profile}" is for ${originOf(previous) ?? previous}, not for ${baseUrl.origin}`,
    "choose another profile with -p OTHER, or replace this one with --replace",
  );
}

/** The profile to renew, the current one or the only one of the service, else the name of a new one. */
function findProfileOf(baseUrl: URL, current: string | undefined, config: Config): string {
  const known = [...config.profiles].filter(
    ([name, profile]) => name !== LOCAL_PROFILE && isSameOrigin(profile.base_url ?? "", baseUrl),
  );
  const names = known.map(([name]) => name);
  const [first, ...others] = names;
  if (current !== undefined && names.includes(current)) return current;
  return first !== undefined && others.length === 0 ? first : nameAfterHost(baseUrl, config);
}

/** What sets each key beside the profile. */
const SOURCES = {
  base_url: { flag: "--base-url", option: "baseUrl", variable: "CALCTL_BASE_URL" },
  auth_url: { flag: "--auth-url", option: "authUrl", variable: "CALCTL_AUTH_URL" },
  client_id: { flag: "--client-id", option: "clientId", variable: "CALCTL_CLIENT_ID" },
  redirect_uri: { flag: "--redirect-uri", option: "redirectUri", variable: undefined },
  media_type: { flag: "--media-type", option: "mediaType", variable: undefined },
} as const;

type LoginKey = keyof typeof SOURCES;

interface LoginSources {
  readonly flags: LoginFlags;
  readonly env: Environment;
  readonly profile: Profile | undefined;
}

function pickFor(key: LoginKey, { flags, env, profile }: LoginSources): Setting | undefined {
  const { flag, option, variable } = SOURCES[key];
  const value = profile?.[key];
  const known: Setting | undefined = value
    ? { value, source: `the profile's ${key}`, origin: "profile" }
    : undefined;
  return pickSetting({ flag: [flag, flags[option]], variable }, env, known);
}

/** A wrong value is exit 2 from a flag, and exit 10 from the environment or a profile. */
function parse<T>(setting: Setting, read: (text: string, source: string) => T): T {
  const { value, source, origin } = setting;
  return origin === "flag" ? rethrowAsUsage(() => read(value, source)) : read(value, source);
}

/** The service's host, with its port unless that is the default one, and with a number if the name is taken. */
function nameAfterHost(baseUrl: URL, config: Config): string {
  const host = baseUrl.hostname.replace(/^\[|\]$/g, "").replace(/[^\p{L}\p{N}.-]+/gu, "-");
  const name =
    /^[\p{L}\p{N}]/u.test(host) && host !== LOCAL_PROFILE ? host : `host-${host.replace(/^-+/, "")}`;
  const base = baseUrl.port === "" ? name : `${name}-${baseUrl.port}`;
  const isUsable = (profile: Profile | undefined): boolean =>
    profile === undefined || isSameOrigin(profile.base_url ?? "", baseUrl);
  let usable = base;
  for (let number = 2; !isUsable(config.profiles.get(usable)); number += 1) usable = `${base}-${number}`;
  return usable;
}
