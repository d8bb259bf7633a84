import { usageError } from "../errors.js";
import type { Config, Profile, ProfileKey } from "./config-file.js";
import { type Environment, readVariable, type Variable } from "./environment.js";
import { asUsage, checkProfileName } from "./profile-store.js";
import { parseMediaType } from "./profile-values.js";
import { pickSetting, type Setting } from "./setting.js";
import { LOCAL_PROFILE } from "./settings.js";
import { addressText, isSameOrigin, parseRedirectUri, parseServiceUrl, type RedirectTarget } from "./urls.js";

/** What `login` was told on its command line; undefined where nothing. */
export interface LoginFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly authUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly redirectUri?: string | undefined;
  readonly mediaType?: string | undefined;
}

/** Where to sign in, as far as anybody said. */
export interface LoginSettings {
  /** Undefined where the address of the service is missing. */
  readonly target: LoginTarget | undefined;
  readonly authUrl: URL | undefined;
  readonly clientId: string | undefined;
  readonly redirectUri: Setting | undefined;
  /** What the redirect URI says; undefined where nobody named one. */
  readonly redirect: RedirectTarget | undefined;
  readonly mediaType: string | undefined;
}

/** The service, and the profile that will remember it. */
export interface LoginTarget {
  readonly profile: string;
  readonly baseUrl: URL;
  /** The service that the profile was for until now, when it is another one; null otherwise. */
  readonly movedFrom: string | null;
}

/**
 * Decides where `login` signs in: flags, then the environment, then the profile that is renewed. What a profile knows
 * of one service is not used for another one.
 * @throws CliError usage for a profile that cannot be logged into and for flags that are wrong
 */
export function decideLogin(flags: LoginFlags, env: Environment, config: Config): LoginSettings {
  const renewed = renewedProfile(flags, env, config);
  const known = renewed === undefined ? undefined : config.profiles.get(renewed);
  const address = pick(
    "base_url",
    { flag: ["--base-url", flags.baseUrl], env, variable: "CALCTL_BASE_URL" },
    known,
  );
  const target =
    address === undefined ? undefined : decideTarget(parse(address, parseServiceUrl), renewed, config);
  const existing = target === undefined ? known : config.profiles.get(target.profile);
  const sources = { env, variable: undefined };
  const kept = target !== undefined && target.movedFrom !== null ? undefined : existing;
  const mediaType = pick("media_type", { flag: ["--media-type", flags.mediaType], ...sources }, kept);
  const authUrl = pick(
    "auth_url",
    { flag: ["--auth-url", flags.authUrl], env, variable: "CALCTL_AUTH_URL" },
    kept,
  );
  const redirectUri = pick("redirect_uri", { flag: ["--redirect-uri", flags.redirectUri], ...sources }, kept);
  const clientIdFlag = ["--client-id", flags.clientId] as const;
  return {
    target,
    authUrl: authUrl && parse(authUrl, parseServiceUrl),
    clientId: pick("client_id", { flag: clientIdFlag, env, variable: "CALCTL_CLIENT_ID" }, kept)?.value,
    redirectUri,
    redirect: redirectUri && parse(redirectUri, parseRedirectUri),
    mediaType: mediaType && parse(mediaType, parseMediaType),
  };
}

/** What the profile will hold of a service that was signed in to. */
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

/** The profile that is named or in use; undefined where that is `local`, so that a new one is made. */
function renewedProfile(flags: LoginFlags, env: Environment, config: Config): string | undefined {
  if (flags.profile === LOCAL_PROFILE) {
    throw usageError(
      "the profile `local` cannot be logged into: it is the embedded service and needs no login",
      "name another profile with --profile",
    );
  }
  const named = flags.profile ?? readVariable(env, "CALCTL_PROFILE") ?? config.profile;
  return named === undefined || named === LOCAL_PROFILE ? undefined : checkProfileName(named);
}

function decideTarget(baseUrl: URL, renewed: string | undefined, config: Config): LoginTarget {
  const profile = renewed ?? nameAfter(baseUrl, config);
  const before = config.profiles.get(profile)?.base_url;
  const moved = before !== undefined && !isSameOrigin(before, baseUrl);
  return { profile, baseUrl, movedFrom: moved ? before : null };
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

/** What was typed wrong is exit 2; the same text in environment or file is exit 10. */
function parse<T>(setting: Setting, read: (text: string, source: string) => T): T {
  const { value, source, origin } = setting;
  return origin === "flag" ? asUsage(() => read(value, source)) : read(value, source);
}

/** A profile of the service's host; another service on the same host gets a name of its own. */
function nameAfter(baseUrl: URL, config: Config): string {
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
