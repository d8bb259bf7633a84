/** A map that drops the entries that were used least recently. */
export interface LruCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
}

export interface LruCacheOptions<V> {
  /** Size of a value, which must never change; 1 by default, so that `maxSize` is a number of entries. */
  readonly sizeOf?: (value: V) => number;
  /** A larger value is not stored; half of `maxSize` by default, which is also the most it may be. */
  readonly maxValueSize?: number;
}

/**
 * Entries are in two generations, so that using a recent one again costs no more than finding it. When the recent
 * generation is full it becomes the older one, and entries that were not used since the last time are dropped.
 * @param maxSize of all entries together. One is dropped only after others were used that took half of it together.
 */
export function createLruCache<V>(
  maxSize: number,
  { sizeOf = () => 1, maxValueSize = maxSize / 2 }: LruCacheOptions<V> = {},
): LruCache<V> {
  let recent = new Map<string, V>();
  let older = new Map<string, V>();
  let recentSize = 0;
  const add = (key: string, value: V) => {
    const size = sizeOf(value);
    if (recentSize + size > maxSize / 2) {
      older = recent;
      recent = new Map();
      recentSize = 0;
    }
    recent.set(key, value);
    recentSize += size;
  };
  const remove = (key: string) => {
    older.delete(key);
    const value = recent.get(key);
    if (value === undefined) return;
    recent.delete(key);
    recentSize -= sizeOf(value);
  };
  return {
    get(key) {
      const value = recent.get(key);
      if (value !== undefined || older.size === 0) return value;
      const olderValue = older.get(key);
      if (olderValue === undefined) return undefined;
      older.delete(key);
      add(key, olderValue);
      return olderValue;
    },
    set(key, value) {
      remove(key);
      if (sizeOf(value) <= maxValueSize) add(key, value);
    },
    delete: remove,
    clear() {
      recent.clear();
      older.clear();
      recentSize = 0;
    },
  };
}
