import { cacheName, createCacheFile } from "../../cache/cache-file.js";
import { createNameCache, type NameCache } from "../../cache/name-cache.js";
import { createRecentEvents } from "../../cache/recent-events.js";
import type { Config } from "../../config/config.js";
import { configPath, readConfig } from "../../config/config-file.js";
import { requireOwnFolder, resolveDirectories } from "../../config/directories.js";
import type { Environment } from "../../config/environment.js";
import { LOCAL_PROFILE, selectService } from "../../config/settings.js";
import type { Candidate } from "./value-kinds.js";

export interface Machine {
  readonly env: Environment;
  readonly platform: string;
  readonly home: () => string;
  /** Null on Windows. */
  readonly userId: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export type KnownValues = ReturnType<typeof readKnownValues>;

/**
 * What the files of this machine say. They are read when they are asked for; what cannot be read, or belongs to a profile
 * that does not exist, is empty.
 */
export function readKnownValues({ env, platform, home, userId, now }: Machine) {
  const directories = resolveDirectories({ env, platform, home });
  let loaded: Config | undefined;
  const config = (): Config => {
    loaded ??= readConfig(configPath(directories.config()), userId);
    return loaded;
  };
  const select = (profileFlag: string | undefined) => selectService({ profileFlag, env, config: config() });
  const open = (kind: "names" | "events", profileFlag: string | undefined) =>
    createCacheFile({
      kind,
      directory: () => requireOwnFolder("cache", directories, userId),
      name: () => cacheName(select(profileFlag)),
      now,
    });
  const nameCaches = new Map<string | undefined, NameCache>();
  const openNames = (profile: string | undefined): NameCache => {
    const cache = nameCaches.get(profile) ?? createNameCache(open("names", profile), now);
    nameCaches.set(profile, cache);
    return cache;
  };
  return {
    profiles: () => [LOCAL_PROFILE, ...(ifReadable(() => [...config().profiles.keys()]) ?? [])],
    /** With what they take. */
    targets: (): readonly Candidate[] =>
      (ifReadable(() => [...(config().targets ?? [])]) ?? []).map(([value, { as = "" }]) => ({
        value,
        description: as,
      })),
    /** The calendar of CALCTL_CALENDAR or of the profile; undefined without one. @param profile of `--profile` */
    defaultCalendar: (profile: string | undefined): string | undefined =>
      env["CALCTL_CALENDAR"] || ifReadable(() => select(profile).setting("calendar")?.value),
    names: openNames,
    events: (profile: string | undefined) => createRecentEvents(open("events", profile), now),
    // The list of the platform has only zones that are named for a place.
    zones: () => ["UTC", ...Intl.supportedValuesOf("timeZone")],
  };
}

/** Undefined where a file cannot be read, which only the commands themselves report. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (_unreadable) {
    return undefined;
  }
}
