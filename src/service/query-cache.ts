import { createLruCache } from "./lru-cache.js";
import type { Store } from "./store/store.js";

/** Results of queries, which are cached until anything in the database changes. */
export interface QueryCache<T> {
  /** @param received when the request was received (`performance.now()`, or `JUST_NOW`) */
  lookUp(key: string, received: number): QueryCacheEntry<T>;
}

export interface QueryCacheEntry<T> {
  /** Undefined if nothing is cached. */
  readonly value: T | undefined;
  /** Caches what queries found that began after `lookUp`. */
  set(value: T): void;
}

/** Longer keys are not cached (UTF-16 code units): clients choose them. */
const MAX_KEY = 500;

/** @param maxEntries beyond which those that were used least recently are dropped */
export function createQueryCache<T>(store: Pick<Store, "version">, maxEntries: number): QueryCache<T> {
  const values = createLruCache<T>(maxEntries);
  let current: number | null = null;
  return {
    lookUp(key, received) {
      const version = store.version(received);
      if (version === null || version !== current) values.clear();
      current = version;
      return {
        value: values.get(key),
        set(value) {
          // After a later version was seen, the value may be outdated.
          if (version === null || version !== current || key.length > MAX_KEY) return;
          values.set(key, value);
        },
      };
    },
  };
}
