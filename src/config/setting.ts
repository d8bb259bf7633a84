import { CliError, configurationError, emptyValueError, usageError } from "../errors.js";

/** A value and where it comes from. */
export interface Setting {
  readonly value: string;
  /** For messages, such as `--timezone` or `timezone of profile "work"`. */
  readonly source: string;
  /** Decides the exit code of a wrong value. */
  readonly origin: "flag" | "environment" | "profile";
}

/** The first that is set of flag, environment and profile. @throws CliError usage for an empty flag */
export function pickSetting(
  flag: { readonly name: string; readonly value: string | undefined },
  env: { readonly name: string; readonly value: string | undefined },
  profile?: Setting | undefined,
): Setting | undefined {
  if (flag.value === "") throw emptyValueError(flag.name);
  if (flag.value !== undefined) return { value: flag.value, source: flag.name, origin: "flag" };
  if (env.value !== undefined && env.value !== "") {
    return { value: env.value, source: env.name, origin: "environment" };
  }
  return profile;
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
