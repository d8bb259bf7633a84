import type { Config } from "../config/config-file.js";
import { type Environment, readVariable } from "../config/environment.js";
import { LOCAL_PROFILE } from "../config/settings.js";
import type { GlobalFlags } from "../context.js";
import { findEnvironmentToken } from "./environment-token.js";

/** The profile that is named or in use. */
export function profileName(flags: GlobalFlags, config: Config, env: Environment): string {
  return flags.profile ?? readVariable(env, "CALCTL_PROFILE") ?? config.profile ?? LOCAL_PROFILE;
}

/** A source of tokens that comes before the stored one; null without any. */
export function otherSource(config: Config, profile: string, env: Environment): string | null {
  const found = findEnvironmentToken(env);
  if (found !== null) return found.source;
  return config.profiles.get(profile)?.token_command === undefined ? null : "token_command";
}
