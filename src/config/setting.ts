import { type CliError, configurationError, usageError } from "../errors.js";

/** A value and where it came from, as messages name it. */
export interface Setting {
  readonly value: string;
  readonly source: string;
  /** Where a wrong value is the caller's fault it is exit 2, in the configuration exit 10. */
  readonly origin: "flag" | "environment" | "profile";
}

/** The error of a flag whose value is empty. */
export function emptyFlag(name: string): CliError {
  return usageError(`${name}: the value is empty`, "is a variable of the script unset?");
}

/** Flag, else environment, else profile: the first that is set. An empty flag is no value. */
export function pickSetting(
  flag: { readonly name: string; readonly value: string | undefined },
  env: { readonly name: string; readonly value: string | undefined },
  profile?: Setting | undefined,
): Setting | undefined {
  if (flag.value === "") throw emptyFlag(flag.name);
  if (flag.value !== undefined) return { value: flag.value, source: flag.name, origin: "flag" };
  if (env.value !== undefined && env.value !== "") {
    return { value: env.value, source: env.name, origin: "environment" };
  }
  return profile;
}

/** A wrong value is exit 2 from a flag or the environment and exit 10 from the configuration. */
export function settingError(setting: Setting, message: string, hint?: string): CliError {
  const text = `${setting.source}: ${message}`;
  if (setting.origin !== "profile") return usageError(text, hint);
  return configurationError(text, hint === undefined ? {} : { hint });
}
