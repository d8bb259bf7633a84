import { findTokenSource, type TokenSource } from "../auth/token-sources.js";
import { type Environment, readVariable } from "../config/environment.js";

/** Where the environment has a token, before any other source; null without any. @throws CliError configuration */
export function findEnvironmentToken(env: Environment): TokenSource | null {
  return findTokenSource({
    token: readVariable(env, "CALCTL_TOKEN"),
    tokenFile: readVariable(env, "CALCTL_TOKEN_FILE"),
    credentialsDirectory: env["CREDENTIALS_DIRECTORY"],
  });
}
