import { createLruCache } from "./lru-cache.js";
import type { Store } from "./store/store.js";

/** Remembers what queries found until anything in the database changes. */
export interface QueryCache<T> {
  /** @param received when the request was received (`performance.now()`, or `JUST_NOW`) */
  look(key: string, received: number): QueryCacheEntry<T>;
}

export interface QueryCacheEntry<T> {
  /** Undefined if nothing is known. */
  readonly value: T | undefined;
  /** Call it with what queries found that began after `look`. */
  remember(value: T): void;
}

/** Longer keys are not remembered (UTF-16 code units): clients choose them. */
const MAX_KEY = 500;

/** @param maxEntries beyond which what was used longest ago is forgotten */
export function createQueryCache<T>(store: Pick<Store, "version">, maxEntries: number): QueryCache<T> {
  const values = createLruCache<T>(maxEntries);
  let current: number | null = null;
  return {
    look(key, received) {
      const version = store.version(received);
      if (version === null || version !== current) values.clear();
      current = version;
      return {
        value: values.get(key),
        remember(value) {
          // Another version was seen meanwhile: the value may be older.
          if (version === null || version !== current || key.length > MAX_KEY) return;
          values.set(key, value);
        },
      };
    },
  };
}
