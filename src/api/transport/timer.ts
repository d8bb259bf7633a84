/**
 * Calls `act` after some milliseconds, unless it is cancelled before.
 * @returns cancels; once it was called or cancelled, that does nothing
 */
export type After = (milliseconds: number, act: () => void) => () => void;
