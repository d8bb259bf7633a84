import { type CliError, configurationError } from "../errors.js";

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
