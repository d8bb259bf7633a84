/** Everything that must be closed before the process can exit. */
export interface Resources {
  /** Registers a function that `closeAll` calls. */
  add(close: () => Promise<void> | void): void;
  /** Closes everything in reverse order, then throws the first failure. */
  closeAll(): Promise<void>;
}

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
