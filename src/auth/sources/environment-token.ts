import type { Config } from "../../config/config.js";
import type { Environment } from "../../config/environment.js";
import { configurationError } from "../../errors.js";
import {
  type EnvironmentSecret,
  findEnvironmentSecret,
  nameSource,
  readEnvironmentSecret,
  type SecretReading,
  TOKEN,
} from "../../secrets/environment-secret.js";

/** A token to send. */
export interface Token {
  readonly value: string;
  /** Where it comes from, for `status` and messages. */
  readonly source: string;
}

/** Whether a text can be a token: visible ASCII characters without spaces, which a header can carry. @see RFC 6750 §2.1 */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * Checks that a text is a token.
 * @param source where it comes from, for messages; these never contain the text
 * @throws CliError configuration
 */
export function checkToken(text: string, source: string): string {
  if (text === "") throw configurationError(`${source} is empty`, { hint: "put a token into it" });
  if (isToken(text)) return text;
  throw configurationError(
    `${source} is not a token: it has spaces, line breaks or characters other than visible ASCII`,
    { hint: "put only the token into it, on one line" },
  );
}

/** Finds the token of the environment, without reading it. Null when there is none. */
export function findEnvironmentToken(env: Environment): EnvironmentSecret | null {
  return findEnvironmentSecret(env, TOKEN);
}

/** Reads the token. @throws CliError configuration when it is not valid, and the signal's reason */
export async function readEnvironmentToken(found: EnvironmentSecret, reading: SecretReading): Promise<Token> {
  const value = await readEnvironmentSecret(found, TOKEN, reading);
  return { value: checkToken(value, nameSource(found)), source: found.source };
}

/** The source of a token that is used instead of the stored one; null when the stored one is used. */
export function findOverridingSource(config: Config, profile: string, env: Environment): string | null {
  const found = findEnvironmentToken(env);
  if (found !== null && env[found.source] !== "") return found.source;
  return config.profiles.get(profile)?.token_command === undefined ? null : "token_command";
}
