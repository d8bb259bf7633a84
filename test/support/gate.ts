/** What work waits for until a test lets it go on, perhaps with a value. */
export interface Gate<T = void> {
  readonly opened: Promise<T>;
  open(value: T): void;
}

export function createGate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}
