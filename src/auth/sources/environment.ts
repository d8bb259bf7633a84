import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config-file.js";
import { type Environment, readVariable } from "../../config/environment.js";
import { errorCodeOf } from "../../errors.js";
import { readTokenFile } from "./token-file.js";
import { checkToken } from "./token-text.js";

/** A token as it is sent. */
export interface Token {
  readonly value: string;
  /** Where it came from, as messages and `status` name it. */
  readonly source: string;
}

/** What the environment says about tokens; undefined where it says nothing. */
export interface TokenEnvironment {
  /** CALCTL_TOKEN. */
  readonly token: string | undefined;
  /** CALCTL_TOKEN_FILE. */
  readonly tokenFile: string | undefined;
  /** CREDENTIALS_DIRECTORY, set by systemd. */
  readonly credentialsDirectory: string | undefined;
}

/** A token of the environment that is named, and perhaps broken. */
export type TokenSource =
  | { readonly source: "CALCTL_TOKEN"; readonly text: string }
  | { readonly source: "CREDENTIALS_DIRECTORY" | "CALCTL_TOKEN_FILE"; readonly path: string };

/**
 * Where the token of the environment is: CALCTL_TOKEN, else the systemd credential `calctl-token`, else the file that
 * CALCTL_TOKEN_FILE names. Null when there is none. The credential is looked for, nothing is read.
 * @see systemd.exec(5), LoadCredential=
 */
export function findTokenSource(environment: TokenEnvironment): TokenSource | null {
  const { token, tokenFile, credentialsDirectory } = environment;
  if (token !== undefined) return { source: "CALCTL_TOKEN", text: token };
  if (credentialsDirectory !== undefined && credentialsDirectory !== "") {
    const path = join(credentialsDirectory, "calctl-token");
    // The folder may hold other credentials of the unit alone.
    if (isThere(path)) return { source: "CREDENTIALS_DIRECTORY", path };
  }
  return tokenFile === undefined ? null : { source: "CALCTL_TOKEN_FILE", path: tokenFile };
}

/**
 * The token of a source.
 * @throws CliError configuration when it is broken; it is never skipped. And the signal's reason
 */
export async function readTokenSource(found: TokenSource, signal: AbortSignal): Promise<Token> {
  const { source } = found;
  const value =
    found.source === "CALCTL_TOKEN"
      ? checkToken(found.text, source)
      : await readTokenFile({ path: found.path, source, signal });
  return { value, source };
}

/** What cannot be looked at counts as there: reading it says why. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== "ENOENT";
  }
}

/** Where the environment has a token, before any other source; null without any. @throws CliError configuration */
export function findEnvironmentToken(env: Environment): TokenSource | null {
  return findTokenSource({
    token: readVariable(env, "CALCTL_TOKEN"),
    tokenFile: readVariable(env, "CALCTL_TOKEN_FILE"),
    credentialsDirectory: env["CREDENTIALS_DIRECTORY"],
  });
}

/** A source of tokens that comes before the stored one; null without any. */
export function otherSource(config: Config, profile: string, env: Environment): string | null {
  const found = findEnvironmentToken(env);
  if (found !== null) return found.source;
  return config.profiles.get(profile)?.token_command === undefined ? null : "token_command";
}
