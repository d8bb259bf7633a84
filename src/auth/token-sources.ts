import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configurationError, errorCodeOf } from "../errors.js";
import { checkToken, withoutFinalNewline } from "./token-text.js";

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

/**
 * The token of the environment: CALCTL_TOKEN, else the systemd credential `calctl-token`, else the file that
 * CALCTL_TOKEN_FILE names. Null when there is none.
 * @throws CliError configuration when a source is there but broken; it is never skipped
 */
export function readEnvironmentToken(environment: TokenEnvironment): Token | null {
  const { token, tokenFile, credentialsDirectory } = environment;
  if (token !== undefined) return { value: checkToken(token, "CALCTL_TOKEN"), source: "CALCTL_TOKEN" };
  const credential = readCredential(credentialsDirectory);
  if (credential !== null) return credential;
  return tokenFile === undefined ? null : readTokenFile(tokenFile, "CALCTL_TOKEN_FILE");
}

/** @see systemd.exec(5), LoadCredential= */
function readCredential(directory: string | undefined): Token | null {
  if (directory === undefined || directory === "") return null;
  try {
    return readTokenFile(join(directory, "calctl-token"), "CREDENTIALS_DIRECTORY");
  } catch (error) {
    // The folder may hold other credentials of the unit alone.
    if (error instanceof Error && errorCodeOf(error.cause) === "ENOENT") return null;
    throw error;
  }
}

function readTokenFile(path: string, source: string): Token {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw configurationError(`${source}: ${path} cannot be read (${errorCodeOf(cause) ?? "unknown"})`, {
      cause,
    });
  }
  return { value: checkToken(withoutFinalNewline(text), `${source} (${path})`), source };
}
