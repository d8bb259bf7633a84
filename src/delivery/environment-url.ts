import type { Environment } from "../config/environment.js";
import {
  type EnvironmentSecret,
  findEnvironmentSecret,
  nameSource,
  readEnvironmentSecret,
  type SecretReadOptions,
  WEBHOOK_URL,
} from "../secrets/environment-secret.js";
import type { EnvironmentUrl } from "./open-target.js";

/** The webhook of the environment; null without one. @throws CliError configuration when it cannot be read */
export async function readEnvironmentUrl(
  env: Environment,
  reading: SecretReadOptions,
): Promise<EnvironmentUrl | null> {
  const found = findEnvironmentSecret(env, WEBHOOK_URL);
  if (found === null) return null;
  const text = await readEnvironmentSecret(found, WEBHOOK_URL, reading);
  return { text, source: nameSource(found), renewHint: `create a new one, and ${placeOf(found)}` };
}

/** Where a new URL goes. What is in the folder of credentials is a copy that systemd makes for each run. */
function placeOf(found: EnvironmentSecret): string {
  if ("text" in found) return `set ${found.source} to its URL`;
  if (found.source !== "CREDENTIALS_DIRECTORY") return `write its URL into ${found.path}`;
  return `write its URL into the file that the unit loads as ${WEBHOOK_URL.credential}`;
}
