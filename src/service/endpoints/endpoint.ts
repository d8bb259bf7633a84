import type { Query } from "../http/query.js";
import type { Queries } from "../store/open.js";

/** One request of a user, read and allowed, within one transaction. */
export interface Call {
  readonly db: Queries;
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A value of the path, such as `calendar_id`. */
  readonly parameter: (name: string) => string;
  readonly query: Query;
  /** The parsed JSON; undefined where the route takes no body. */
  readonly body: unknown;
}

/**
 * Answers one route of the contract with the JSON of the body, null for none.
 * @throws ProblemError
 */
export type Endpoint = (call: Call) => Promise<object | null>;
