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

export interface QueryCacheOptions {
  /** Beyond it, those that were used least recently are dropped. */
  readonly maxEntries: number;
  /**
   * How long a value is cached where only a query could tell whether anything changed (ms); 0 by default: it is not cached
   * there.
   */
  readonly maxAge?: number;
  /** Milliseconds that only grow. */
  readonly clock?: (() => number) | undefined;
}

/** Longer keys are not cached (UTF-16 code units): clients choose them. */
const MAX_KEY = 500;

interface CachedValue<T> {
  readonly value: T;
  /** By the clock. */
  readonly until: number;
}

/** A cache over one store, whose entries are dropped with the first `lookUp` after a change. */
export function createQueryCache<T>(
  store: Pick<Store, "version">,
  { maxEntries, maxAge = 0, clock = () => performance.now() }: QueryCacheOptions,
): QueryCache<T> {
  const values = createLruCache<CachedValue<T>>(maxEntries);
  let current: number | null = null;
  return {
    lookUp(key, received) {
      const version = store.version(received);
      if (version !== current) values.clear();
      current = version;
      const now = version === null ? clock() : 0;
      const cached = values.get(key);
      return {
        value: cached !== undefined && now < cached.until ? cached.value : undefined,
        set(value) {
          // After a later version was seen, the value may be outdated.
          if (version !== current || key.length > MAX_KEY) return;
          const until = version === null ? now + maxAge : Number.POSITIVE_INFINITY;
          if (now < until) values.set(key, { value, until });
        },
      };
    },
  };
}
