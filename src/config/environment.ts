import { parseUrl } from "../../contract/url.js";
import { CliError, configurationError, emptyValueError, usageError } from "../errors.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty value of these is an error where they are used: usually the secret of a CI job is not set. */
const NEVER_EMPTY: readonly Variable[] = [
  "CALCTL_TOKEN",
  "CALCTL_TOKEN_FILE",
  "CALCTL_BASE_URL",
  "CALCTL_PROFILE",
  "CALCTL_WEBHOOK_URL",
  "CALCTL_WEBHOOK_URL_FILE",
  "CALCTL_SERVICE_DB",
];

/** The environment variables of this program; it also reads NO_COLOR, FORCE_COLOR, CI, TZ, XDG folders and proxies. */
export type Variable =
  | "CALCTL_PROFILE"
  | "CALCTL_CALENDAR"
  | "CALCTL_OUTPUT"
  | "CALCTL_TIMEZONE"
  | "CALCTL_NO_INPUT"
  | "CALCTL_DEBUG"
  | "CALCTL_TIMEOUT"
  | "CALCTL_RETRIES"
  | "CALCTL_MAX_WAIT"
  | "CALCTL_TOKEN"
  | "CALCTL_TOKEN_FILE"
  | "CALCTL_BASE_URL"
  | "CALCTL_AUTH_URL"
  | "CALCTL_CLIENT_ID"
  | "CALCTL_CLIENT_SECRET"
  | "CALCTL_WEBHOOK_URL"
  | "CALCTL_WEBHOOK_URL_FILE"
  | "CALCTL_SERVICE_DB"
  | "CALCTL_CONFIG_DIR"
  | "CALCTL_DATA_DIR"
  | "CALCTL_STATE_DIR"
  | "CALCTL_CACHE_DIR";

/**
 * The value of a variable; undefined when it is unset or empty.
 * @throws CliError configuration when it is empty and must not be
 */
export function readVariable(env: Environment, name: Variable): string | undefined {
  const value = env[name];
  if (value !== "") return value;
  if (NEVER_EMPTY.includes(name)) throw emptyVariable(name);
  return undefined;
}

/** The error of a variable that is empty and must not be. */
export function emptyVariable(name: string): CliError {
  return configurationError(`${name} is set but empty`, { hint: "set it to its value, or unset it" });
}

/** The variables whose whole value is a secret. */
export const SECRET_VARIABLES: readonly Variable[] = [
  "CALCTL_TOKEN",
  "CALCTL_CLIENT_SECRET",
  "CALCTL_WEBHOOK_URL",
];

/** The environment for child processes: without secrets, which are meant only for this program. */
export function childEnvironment(env: Environment): Environment {
  // A URL of a database may have a password.
  const secrets = new Set<string>([...SECRET_VARIABLES, "CALCTL_SERVICE_DB"]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name)));
}

/** Whether a boolean variable is on: anything but unset, "", `0`, `false` and `no`. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no"].includes(value.toLowerCase());
}

/** A value and where it comes from. */
export interface Setting {
  readonly value: string;
  /** For messages, such as `--timezone` or `timezone of profile "work"`. */
  readonly source: string;
  /** Decides the exit code of a wrong value. */
  readonly origin: "flag" | "environment" | "profile";
}

/**
 * The first that is set of flag, variable and profile. A variable that a flag overrides may be empty.
 * @throws CliError usage for an empty flag, configuration for a variable that is empty and must not be
 */
export function pickSetting(
  { flag: [name, value], variable }: SettingSources,
  env: Environment,
  profile?: Setting | undefined,
): Setting | undefined {
  if (value === "") throw emptyValueError(name);
  if (value !== undefined) return { value, source: name, origin: "flag" };
  const set = variable && readVariable(env, variable);
  return set === undefined ? profile : { value: set, source: variable ?? "", origin: "environment" };
}

interface SettingSources {
  readonly flag: readonly [name: string, value: string | undefined];
  /** Undefined without one. */
  readonly variable?: Variable | undefined;
}

/** The error of a wrong value: usage (exit 2) for a flag or a variable, configuration (exit 10) for a profile. */
export function settingError(setting: Setting, message: string, hint?: string): CliError {
  const text = `${setting.source}: ${message}`;
  if (setting.origin !== "profile") return usageError(text, hint);
  return configurationError(text, hint === undefined ? {} : { hint });
}

/** Runs a check and turns its configuration error (exit 10) into a usage error (exit 2): the value was typed. */
export function rethrowAsUsage<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof CliError) throw usageError(error.message, error.hint);
    throw error;
  }
}

/** The `//` distinguishes a scheme from the user of `user:password@host`. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The address of a proxy; without a scheme it is http. Null when it is not a URL. */
export function parseProxyAddress(address: string): URL | null {
  const text = address.trim();
  return parseUrl(SCHEME.test(text) ? text : `http://${text}`);
}

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** The secrets in the environment: a token, a client secret, passwords of proxies and of the service's database. */
export function environmentSecrets(env: Environment): readonly string[] {
  const secrets = SECRET_VARIABLES.map((name) => env[name] ?? "");
  const passwords = [...PROXIES, "CALCTL_SERVICE_DB"].map((name) => passwordIn(env[name] ?? ""));
  return [...secrets, ...passwords, env["PGPASSWORD"] ?? ""].filter((value) => value !== "");
}

/** The password in the address of a proxy or a database; "" when there is none. */
function passwordIn(address: string): string {
  const password = parseProxyAddress(address)?.password ?? "";
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
