/** A map of the entries that were used last. */
export interface RecentMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
}

export interface RecentMapOptions<V> {
  /** What a value takes of the limit; 1 by default, so that the limit is a number of entries. Always the same of a value. */
  readonly sizeOf?: (value: V) => number;
  /** A value that takes more is not kept; the limit by default. */
  readonly largest?: number;
}

/** @param limit what the entries take together at most */
export function createRecentMap<V>(
  limit: number,
  { sizeOf = () => 1, largest = limit }: RecentMapOptions<V> = {},
): RecentMap<V> {
  /** The first one was used longest ago. */
  const entries = new Map<string, V>();
  let size = 0;
  const remove = (key: string) => {
    const value = entries.get(key);
    if (value === undefined) return;
    entries.delete(key);
    size -= sizeOf(value);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) {
        entries.delete(key);
        entries.set(key, value);
      }
      return value;
    },
    set(key, value) {
      remove(key);
      const added = sizeOf(value);
      if (added > largest) return;
      entries.set(key, value);
      size += added;
      if (size <= limit) return;
      for (const oldest of entries.keys()) {
        remove(oldest);
        if (size <= limit) break;
      }
    },
    delete: remove,
    clear() {
      entries.clear();
      size = 0;
    },
  };
}
