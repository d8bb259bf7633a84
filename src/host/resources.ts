/** What was opened during a run and must be closed before the process can end. */
export interface Resources {
  /** Remembers how to close; closed in reverse order. */
  add(close: () => Promise<void> | void): void;
  /** Closes all of them, and throws the first failure only then. */
  closeAll(): Promise<void>;
}

/** An empty list of what is to be closed. */
export function createResources(): Resources {
  const closers: (() => Promise<void> | void)[] = [];
  return {
    add: (close) => {
      closers.push(close);
    },
    async closeAll() {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Calls an asynchronous function at most once, when its result is first wanted. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
