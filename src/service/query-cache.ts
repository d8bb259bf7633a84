import type { Store } from "./store/store.js";

/** Remembers what queries found until anything in the database changes. */
export interface QueryCache<T> {
  /** What is known of the key, or what the query finds. Undefined is not remembered. */
  find(key: string, query: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** @param maxEntries beyond which what was found first is forgotten */
export function createQueryCache<T>(store: Pick<Store, "version">, maxEntries: number): QueryCache<T> {
  const found = new Map<string, T>();
  let current: number | null = null;
  return {
    async find(key, query) {
      // Taken before the query, which may see a later state: then the next version differs.
      const version = store.version();
      if (version === null) return query();
      if (version !== current) found.clear();
      current = version;
      const known = found.get(key);
      if (known !== undefined) return known;
      const value = await query();
      if (value === undefined || version !== current) return value;
      found.set(key, value);
      const [oldest] = found.keys();
      if (found.size > maxEntries && oldest !== undefined) found.delete(oldest);
      return value;
    },
  };
}
