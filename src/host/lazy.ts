/** A function that calls `create` once, and returns the same afterwards. */
export function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

/** An object each of whose members is created when it is first read. */
export function withLazyMembers<T extends object>(creators: { readonly [K in keyof T]: () => T[K] }): T {
  const getters = Object.entries<() => unknown>(creators).map(
    ([name, create]) => [name, { get: once(create), enumerable: true }] as const,
  );
  return Object.defineProperties({} as T, Object.fromEntries(getters));
}
