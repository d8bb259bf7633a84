/** A map of the entries that were used last. */
export interface RecentMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
}

/** @param limit how many entries it has at most */
export function createRecentMap<V>(limit: number): RecentMap<V> {
  /** The first one was used longest ago. */
  const entries = new Map<string, V>();
  const set = (key: string, value: V) => {
    entries.delete(key);
    entries.set(key, value);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set(key, value) {
      set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
