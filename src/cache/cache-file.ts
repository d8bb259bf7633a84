import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../contract/date-time.js";
import { isJsonObject } from "../../contract/json.js";
import type { ServiceSelection } from "../config/settings.js";

/** What a cache file is about: the profile, and the URL of its service; both may be empty. */
export interface CacheOwner {
  readonly profile: string;
  readonly service: string;
}

/** The owner of what a command of this profile and service caches. */
export function cacheOwnerOf({
  profile,
  service,
}: Pick<ServiceSelection, "profile" | "service">): CacheOwner {
  return { profile: profile ?? "", service: service.kind === "remote" ? service.baseUrl.value : "" };
}

/** `events`: those shown lately. `names`: of calendars, labels and members. */
const CACHE_KINDS = ["events", "names"] as const;

type CacheKind = (typeof CACHE_KINDS)[number];

/**
 * One file of the cache folder. It may be missing, damaged or impossible to write at any time: that is never an error.
 */
export interface CacheFile {
  /** The members of the JSON object; empty if there is no file of this format and owner. */
  read(): Readonly<Record<string, unknown>>;
  /** Replaces the file atomically, readable only by its owner, and removes files of this kind that are no longer used. */
  write(members: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface CacheFileOptions {
  /** @throws if there is no folder, or if others can put files or links into it */
  readonly directory: () => string;
  readonly kind: CacheKind;
  /** @throws when the settings are wrong */
  readonly owner: () => CacheOwner;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const VERSION = 2;

/** Files that were not written for this long (ms) are removed. */
const UNUSED_AFTER = 90 * DAY_MS;

/** `directory` and `owner` are called at each use; if they throw, the file counts as missing. */
export function createCacheFile({ directory, kind, owner, now }: CacheFileOptions): CacheFile {
  const folderOf = () => join(directory(), kind);
  return {
    read() {
      try {
        const path = join(folderOf(), fileName(owner()));
        const content: unknown = JSON.parse(readFileSync(path, "utf8"));
        return isJsonObject(content) && isFor(content, owner()) ? content : {};
      } catch (_unavailable) {
        return {};
      }
    },
    async write(members) {
      try {
        // Loads cryptography, which most commands do not need.
        const { writePrivateFile } = await import("../system/private-file.js");
        const folder = folderOf();
        const path = join(folder, fileName(owner()));
        await writePrivateFile(path, JSON.stringify({ version: VERSION, ...owner(), ...members }));
        removeFiles(folder, (name) => lstatSync(join(folder, name)).mtimeMs < now() - UNUSED_AFTER);
      } catch (_unavailable) {
        // What a cache saves can be done again.
      }
    },
  };
}

/** Removes everything that is cached for a profile, whatever the service. */
export function dropCachesOf(profile: string, directory: () => string): void {
  const prefix = fileName({ profile, service: "" }).slice(0, -ENDING.length);
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

/** A profile, a space, and the URL of a service or nothing. Where a name was cut inside of these, its file stays. */
const OWN_NAME = /^[\w.%-]*%20(?:https?[\w.!~*'()%-]*)?\.json$/i;

/** Names of profiles have no spaces. */
function fileName({ profile, service }: CacheOwner): string {
  return encodeURIComponent(`${profile} ${service}`).slice(0, MAX_FILE_NAME) + ENDING;
}

function isFor(content: Readonly<Record<string, unknown>>, { profile, service }: CacheOwner): boolean {
  return content["version"] === VERSION && content["profile"] === profile && content["service"] === service;
}
