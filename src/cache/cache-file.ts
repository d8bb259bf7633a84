import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../contract/date-time.js";
import { isJsonObject } from "../../contract/json.js";
import type { ServiceSelection } from "../config/settings.js";

/** The name of what a command of this profile and service caches; names of profiles have no spaces. */
export function cacheName({ profile, service }: Pick<ServiceSelection, "profile" | "service">): string {
  return `${profile ?? ""} ${service.kind === "remote" ? service.baseUrl.value : ""}`;
}

/** `events`: those shown lately. `names`: of calendars, labels and members. `rate-limits`: those in effect. */
const CACHE_KINDS = ["events", "names", "rate-limits"] as const;

type CacheKind = (typeof CACHE_KINDS)[number];

/**
 * One file of the cache folder. It may be missing, damaged or impossible to write at any time: that is never an error.
 */
export interface CacheFile {
  /** The members of the JSON object; empty without a file of this name in this format. */
  read(): Readonly<Record<string, unknown>>;
  /** Replaces the file atomically, readable only by its owner, and removes files of this kind that are no longer used. */
  write(members: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface CacheFileOptions {
  /** @throws if there is no folder, or if others can put files or links into it */
  readonly directory: () => string;
  readonly kind: CacheKind;
  /** What the file is about: a word, a space, and the URL of a service or nothing. @throws when the settings are wrong */
  readonly name: () => string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const VERSION = 3;

/** Files that were not written for this long (ms) are removed. */
const UNUSED_AFTER = 90 * DAY_MS;

/** `directory` and `name` are called at each use; if they throw, the file counts as missing. */
export function createCacheFile({ directory, kind, name, now }: CacheFileOptions): CacheFile {
  const folderOf = () => join(directory(), kind);
  return {
    read() {
      try {
        const path = join(folderOf(), fileName(name()));
        const content: unknown = JSON.parse(readFileSync(path, "utf8"));
        const isOurs = isJsonObject(content) && content["version"] === VERSION && content["name"] === name();
        return isOurs ? content : {};
      } catch (_unavailable) {
        return {};
      }
    },
    async write(members) {
      try {
        // Loads cryptography, which most commands do not need.
        const { writePrivateFile } = await import("../system/private-file.js");
        const folder = folderOf();
        const path = join(folder, fileName(name()));
        await writePrivateFile(path, JSON.stringify({ version: VERSION, name: name(), ...members }));
        removeFiles(folder, (other) => lstatSync(join(folder, other)).mtimeMs < now() - UNUSED_AFTER);
      } catch (_unavailable) {
        // What a cache saves can be done again.
      }
    },
  };
}

/** Removes everything that is cached for a profile, whatever the service. */
export function dropCachesOf(profile: string, directory: () => string): void {
  const prefix = fileName(`${profile} `).slice(0, -ENDING.length);
  for (const kind of CACHE_KINDS) {
    try {
      removeFiles(join(directory(), kind), (name) => name.startsWith(prefix));
    } catch (_unavailable) {
      // There is no such folder of ours.
    }
  }
}

/** Removes files with a name of ours. */
function removeFiles(folder: string, isUnwanted: (name: string) => boolean): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isFile() && OWN_NAME.test(name) && isUnwanted(name))
      rmSync(join(folder, name), { force: true });
  }
}

const ENDING = ".json";

/** What file systems take, without the ending. A name that was cut is told from others by the content. */
const MAX_FILE_NAME = 195;

/** A word, a space, and the URL of a service or nothing. Where a name was cut inside of these, its file stays. */
const OWN_NAME = /^[\w.%-]*%20(?:https?[\w.!~*'()%-]*)?\.json$/i;

function fileName(name: string): string {
  return encodeURIComponent(name).slice(0, MAX_FILE_NAME) + ENDING;
}
