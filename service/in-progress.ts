/** Counts what is in progress. */
export interface InProgress {
  begin(): void;
  end(): void;
  /** Resolves as soon as nothing is in progress. */
  none(): Promise<void>;
}

export function createInProgress(): InProgress {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    begin() {
      count += 1;
    },
    end() {
      count -= 1;
      if (count > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    none: () =>
      new Promise((resolve) => {
        if (count === 0) resolve();
        else waiting.push(resolve);
      }),
  };
}
