interface LruCacheOptions<V> {
  /** Size of a value, which must never change; 1 by default, so that `maxSize` is a number of entries. */
  readonly sizeOf?: (value: V) => number;
  /** A larger value is not stored; `maxSize` by default. */
  readonly maxValueSize?: number;
}

/** A map that drops the entries that were used least recently. @param maxSize of all entries together */
export function createLruCache<V>(
  maxSize: number,
  { sizeOf = () => 1, maxValueSize = maxSize }: LruCacheOptions<V> = {},
) {
  /** The entry that was used least recently is first. */
  const entries = new Map<string, V>();
  let size = 0;
  const remove = (key: string) => {
    const value = entries.get(key);
    if (value === undefined) return;
    entries.delete(key);
    size -= sizeOf(value);
  };
  return {
    get(key: string): V | undefined {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key: string, value: V): void {
      remove(key);
      if (sizeOf(value) > maxValueSize) return;
      entries.set(key, value);
      size += sizeOf(value);
      for (const oldest of entries.keys()) {
        if (size <= maxSize) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
