/** Why nothing is sent for a while. */
export type Pause =
  | {
      readonly kind: "repeat";
      /** `GET /calendars` */
      readonly request: string;
      /** What went wrong, a sentence without its end. */
      readonly reason: string;
      /** Milliseconds. */
      readonly delay: number;
      /** Counts from 1. */
      readonly repeat: number;
      readonly repeats: number;
    }
  | {
      readonly kind: "rate_limit";
      /** Milliseconds still to wait. */
      readonly left: number;
      /** Whether this begins the wait; it is told again from slice to slice. */
      readonly begins: boolean;
    }
  | { readonly kind: "rate_limit_over" };

/** Told of pauses, so that nobody wonders why nothing happens. */
export type OnPause = (pause: Pause) => void;
