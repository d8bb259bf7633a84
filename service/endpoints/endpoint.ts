import type { dayWindow } from "../day-window.js";
import { type JsonBody, ProblemError } from "../http/response.js";
import type { Query } from "../http/router.js";
import type { QueryCacheEntry } from "../query-cache.js";
import { type CalendarOfUser, type FoundCalendar, findCalendar } from "../store/calendars.js";
import type { Transaction } from "../store/store.js";
import type { FindDetails } from "./calendar-details.js";
import type { FindUpcomingEvents } from "./upcoming-events.js";

/** What endpoints look up in caches first. */
export interface EndpointCaches {
  readonly findDetails: FindDetails;
  readonly findUpcomingEvents: FindUpcomingEvents;
  readonly dayWindow: typeof dayWindow;
}

/** A request that was authenticated and parsed, with the transaction it runs in. */
export interface EndpointContext {
  readonly db: Transaction;
  /** Where the calendar of the path is cached; absent for writes. */
  readonly calendarEntry?: QueryCacheEntry<CalendarOfUser> | undefined;
  readonly caches: EndpointCaches;
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Value of a path parameter such as `calendar_id`. */
  readonly parameter: (name: string) => string;
  readonly query: Query;
  /** The query string as received, which links to other pages repeat. */
  readonly search: URLSearchParams;
  /** Parsed JSON; undefined if the route takes no body. */
  readonly body: unknown;
}

/** The answer to a read. It is rendered only if neither the client nor the cache has it. */
export interface Answer {
  /** What it depends on besides route and `include`, as JSON: the same version gives the same answer. */
  readonly version: readonly unknown[];
  /** Revision of the calendar whose events the answer has, since which a client can ask for changes. */
  readonly revision?: number;
  /** When it becomes another one even if nothing is written (ms since the epoch); absent for never. */
  readonly until?: number;
  render(): Promise<JsonBody>;
}

/** Handles one route of the contract that reads. @throws ProblemError */
export type ReadEndpoint = (context: EndpointContext) => Promise<Answer>;

/**
 * Handles one route of the contract that writes. Resolves with the body of the response, null for a response without one.
 * @throws ProblemError
 */
export type WriteEndpoint = (context: EndpointContext) => Promise<JsonBody | null>;

/**
 * The calendar of the path.
 * @throws ProblemError 404 when it does not exist, 403 when the current user is not a member
 */
export async function requireCalendar(context: EndpointContext): Promise<CalendarOfUser> {
  const { db, userId, parameter, calendarEntry: cached } = context;
  if (cached?.value !== undefined) return cached.value;
  const calendar = await findCalendar(db, parameter("calendar_id"), userId);
  if (calendar === undefined) throw new ProblemError(404);
  if (!isOfUser(calendar)) throw new ProblemError(403);
  cached?.set(calendar);
  return calendar;
}

function isOfUser(calendar: FoundCalendar): calendar is CalendarOfUser {
  return calendar.position !== null;
}
