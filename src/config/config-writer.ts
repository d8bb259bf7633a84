import Conf from "conf";
import type { Config } from "./config.js";
import { type ConfigLocation, lockConfig } from "./config-lock.js";

/**
 * Writes the configuration that `change` returns, under a lock.
 * @throws CliError configuration, and what `change` throws
 */
export function updateConfigFile(location: ConfigLocation, change: () => Config): Promise<void> {
  return lockConfig(location, () => write(location.directory, change()));
}

function write(directory: string, { others, profiles, webhooks, ...own }: Config): void {
  const store = new Conf<Record<string, unknown>>({
    cwd: directory,
    configName: "config",
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  });
  store.store = {
    ...others,
    ...own,
    profiles: Object.fromEntries(profiles),
    ...(webhooks === undefined ? {} : { webhooks: Object.fromEntries(webhooks) }),
  };
}
