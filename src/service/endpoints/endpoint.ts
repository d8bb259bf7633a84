import { ProblemError } from "../http/reply.js";
import type { Query } from "../http/router.js";
import { findCalendar } from "../store/calendars.js";
import type { CalendarRow } from "../store/schema.js";
import type { Queries } from "../store/sqlite/open.js";

/** One request of a user, read and allowed, within one transaction. */
export interface EndpointContext {
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
export type Endpoint = (context: EndpointContext) => Promise<object | null>;

/** A calendar and its place in the current user's list, from 0. */
export type OwnCalendar = CalendarRow & { readonly position: number };

/**
 * The calendar of the path.
 * @throws ProblemError 404 when there is none, 403 when the current user is no member of it
 */
export async function requireCalendar({ db, userId, parameter }: EndpointContext): Promise<OwnCalendar> {
  const calendar = await findCalendar(db, parameter("calendar_id"), userId);
  if (calendar === undefined) throw new ProblemError(404);
  const { position } = calendar;
  if (position === null) throw new ProblemError(403);
  return { ...calendar, position };
}
