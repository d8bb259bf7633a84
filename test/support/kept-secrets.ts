import type { RunResult } from "./harness.js";

/** Variables whose values stderr never shows. */
const SECRETS = ["CALCTL_TOKEN", "CALCTL_CLIENT_SECRET", "CALCTL_WEBHOOK_URL"];

/** As in the program: shorter secrets are not masked, since they could be part of any word. */
const LENGTH_MIN = 8;

/** Returns the result of a run. @throws when its stderr contains a secret of its environment */
export function keptSecrets(result: RunResult, env: Readonly<Record<string, string>>): RunResult {
  for (const name of SECRETS) {
    const value = env[name];
    if (value === undefined || value.length < LENGTH_MIN || !result.stderr.includes(value)) continue;
    throw new Error(`${name} is on stderr: ${result.stderr.slice(0, 2_000)}`);
  }
  return result;
}
