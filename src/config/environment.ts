import { configurationError } from "../errors.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that name a secret or a service: empty means that a secret was not set, never that it is absent. */
const MUST_NOT_BE_EMPTY: ReadonlySet<string> = new Set([
  "CALCTL_TOKEN",
  "CALCTL_TOKEN_FILE",
  "CALCTL_BASE_URL",
  "CALCTL_PROFILE",
]);

/** The environment variables this program reads, besides NO_COLOR, FORCE_COLOR, CI, TZ, the XDG folders and the proxies. */
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
  | "CALCTL_CONFIG_DIR"
  | "CALCTL_DATA_DIR"
  | "CALCTL_STATE_DIR"
  | "CALCTL_CACHE_DIR";

/**
 * The value of a variable; undefined when it is unset or empty.
 * @throws CliError configuration when it is one that may not be empty
 */
export function readVariable(env: Environment, name: Variable): string | undefined {
  const value = env[name];
  if (value !== "") return value;
  if (MUST_NOT_BE_EMPTY.has(name)) {
    throw configurationError(`${name} is set but empty`, { hint: "set it to its value, or unset it" });
  }
  return undefined;
}

/** Whether `--debug` or CALCTL_DEBUG asks for all that helps to find a fault. */
export function isDebugging({ debug }: { readonly debug?: boolean | undefined }, env: Environment): boolean {
  return debug === true || isSwitchedOn(env["CALCTL_DEBUG"]);
}

/** Whether a switch is on: any text but nothing, `0`, `false` and `no`. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no"].includes(value.toLowerCase());
}
