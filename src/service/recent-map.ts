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
  /** A value that takes more is not kept; half of the limit by default, and at most. */
  readonly largest?: number;
}

/**
 * Its entries are in two halves, so that using one again costs nothing but finding it: when the recent half is full, it takes
 * the place of the older one, whose entries are gone but for those that were used since.
 * @param limit what the entries take together at most; those used last that take half of it are never gone
 */
export function createRecentMap<V>(
  limit: number,
  { sizeOf = () => 1, largest = limit / 2 }: RecentMapOptions<V> = {},
): RecentMap<V> {
  let recent = new Map<string, V>();
  let older = new Map<string, V>();
  /** Of the recent half. */
  let size = 0;
  const add = (key: string, value: V) => {
    const added = sizeOf(value);
    if (size + added > limit / 2) {
      older = recent;
      recent = new Map();
      size = 0;
    }
    recent.set(key, value);
    size += added;
  };
  const remove = (key: string) => {
    older.delete(key);
    const value = recent.get(key);
    if (value === undefined) return;
    recent.delete(key);
    size -= sizeOf(value);
  };
  return {
    get(key) {
      const value = recent.get(key);
      if (value !== undefined || older.size === 0) return value;
      const early = older.get(key);
      if (early === undefined) return undefined;
      older.delete(key);
      add(key, early);
      return early;
    },
    set(key, value) {
      remove(key);
      if (sizeOf(value) <= largest) add(key, value);
    },
    delete: remove,
    clear() {
      recent.clear();
      older.clear();
      size = 0;
    },
  };
}
