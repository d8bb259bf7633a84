/** A pause that the service asked for, shared by the processes that use one token at one origin. */
export interface RememberedPause {
  /** Until when no request is to be sent, in milliseconds since the Unix epoch of this machine's clock. */
  readonly until: number;
  /** When that was learned, by the same clock. */
  readonly learned: number;
}

/** Where processes that share a limit leave word of a pause. */
export interface RateLimitMemory {
  /** What is remembered; null when nothing is or it cannot be read: then the service itself will say. */
  load(): Promise<RememberedPause | null>;
  /** Remembers a pause unless a later learned one is there already. What cannot be written is not remembered; it never fails. */
  save(pause: RememberedPause): Promise<void>;
}
