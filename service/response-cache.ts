import type { ServiceResponse, Validators } from "./http/response.js";
import { createLruCache } from "./lru-cache.js";
import type { Access } from "./store/access.js";

/** A response that was rendered. */
export interface RenderedResponse extends Validators {
  readonly response: ServiceResponse;
  /** As of the transaction that rendered it. */
  readonly access: Access;
  /** When there is another one even if nothing is written (ms since the epoch). */
  readonly until: number;
}

interface CachedResponse extends Omit<RenderedResponse, "access"> {
  /** When it was asked for (ms since the epoch). */
  readonly since: number;
}

/** Bytes of all cached responses, and of one. */
const MAX_BYTES = { total: 32 * 1024 * 1024, response: 1024 * 1024 };

/** What a response takes besides its body, about (bytes). */
const OVERHEAD = 1500;

/** Longer ones are not cached (UTF-16 code units): clients choose them. */
const MAX_TARGET = 500;

/**
 * The one cache of the service: responses by what was asked for and by the version of what they show. Each read asks the
 * database for that version, so none is outdated, and nothing is invalidated: what nobody can ask for any more is dropped as
 * used least recently.
 */
export function createResponseCache() {
  const responses = createLruCache<CachedResponse>(MAX_BYTES.total, {
    maxValueSize: MAX_BYTES.response,
    sizeOf: ({ response }) => OVERHEAD + response.body.byteLength,
  });
  const keyOf = (access: Access, target: string) => `${versionOf(access)}\n${target}`;
  return {
    /** @param target path and query as received */
    find(access: Access, target: string, now: number): CachedResponse | undefined {
      const cached = responses.get(keyOf(access, target));
      return cached !== undefined && cached.since <= now && now < cached.until ? cached : undefined;
    },
    add({ access, response, until, tag, revision }: RenderedResponse, target: string, now: number): void {
      if (target.length > MAX_TARGET) return;
      responses.set(keyOf(access, target), { response, since: now, until, tag, revision });
    },
  };
}

/**
 * As long as it is the same, so is everything at the path that may be read, but for what depends on the time. Members with the
 * same position of a calendar in their lists share what they read of it; without a position nothing may be read.
 */
export function versionOf({ calendar, user, calendars }: Access): string {
  return calendar === null
    ? JSON.stringify([user, calendars])
    : JSON.stringify([calendar.revision, calendar.position]);
}
