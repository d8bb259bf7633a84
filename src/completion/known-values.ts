import { cacheOwnerOf, createCacheFile } from "../cache/cache-file.js";
import { createNameCache } from "../cache/name-cache.js";
import { createRecentEvents } from "../cache/recent-events.js";
import { configPath, readConfig } from "../config/config-file.js";
import { resolveDirectories } from "../config/directories.js";
import type { Environment } from "../config/environment.js";
import { LOCAL_PROFILE, selectService } from "../config/settings.js";
import type { KnownValues } from "./candidates.js";

export interface Machine {
  readonly env: Environment;
  readonly platform: string;
  readonly home: () => string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** What the files of this machine say. @throws CliError if the configuration cannot be read */
export function readKnownValues({ env, platform, home, now }: Machine): KnownValues {
  const directories = resolveDirectories({ env, platform, home });
  const config = readConfig(configPath(directories.config()));
  const select = (profileFlag: string | undefined) => selectService({ profileFlag, env, config });
  const open = (kind: "names" | "events", profileFlag: string | undefined) =>
    createCacheFile({
      kind,
      directory: directories.cache,
      owner: () => cacheOwnerOf(select(profileFlag)),
      now,
    });
  return {
    profiles: () => [...new Set([LOCAL_PROFILE, ...config.profiles.keys()])],
    defaultCalendar: (profile) => env["CALCTL_CALENDAR"] || select(profile).setting("calendar")?.value,
    names: (profile) =>
      createNameCache({ file: open("names", profile), now, account: undefined, renewAfter: 0 }),
    events: (profile) => createRecentEvents(open("events", profile), now),
    zones: () => Intl.supportedValuesOf("timeZone"),
  };
}
