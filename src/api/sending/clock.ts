/** Time as the client sees it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after some milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}
