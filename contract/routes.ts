import { SCOPES } from "./extensions.js";
import { DEFAULT_DAYS, MAX_DAYS, MAX_PAGE, MAX_SEARCH, MIN_DAYS } from "./limits.js";
import { CATEGORIES } from "./shapes.js";

/**
 * The 11 endpoints of the contract, and six more of the embedded service (docs/extensions.md). The client, the service's
 * router and OpenAPI are derived from them. What their bodies hold is in `resources.ts`.
 */

export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE";

interface QueryParameter {
  readonly description: string;
  /** JSON Schema of its value. */
  readonly schema: Readonly<Record<string, string | number | readonly string[]>>;
}

export interface Route {
  readonly method: HttpMethod;
  /** Relative to the base URL; `{name}` stands for one path segment. */
  readonly path: string;
  readonly summary: string;
  /** Values of `include`; absent if the endpoint does not have it. */
  readonly include?: readonly string[];
  readonly query?: Readonly<Record<string, QueryParameter>>;
  readonly success: 200 | 201 | 204;
}

const CALENDAR_INCLUDE = ["labels", "members"] as const;
const EVENT_INCLUDE = ["creator", "label", "attendees"] as const;

/** In which days begin without the parameter `timezone`. */
export const DEFAULT_TIMEZONE = "UTC";

const UPCOMING_QUERY = {
  timezone: {
    description: "Timezone name in which days begin, UTC by default",
    schema: { type: "string", default: DEFAULT_TIMEZONE },
  },
  days: {
    description: "Number of days to return, from today on",
    schema: { type: "integer", minimum: MIN_DAYS, maximum: MAX_DAYS, default: DEFAULT_DAYS },
  },
} as const;

const dateSchema = { type: "string", format: "date" };

/** Parameters of lists in pages. */
const PAGE_QUERY = {
  cursor: {
    description:
      "From the link to the next page. The other parameters, but for include and limit, stay the same",
    schema: { type: "string" },
  },
  limit: {
    description: "How many to return at most; a page may have fewer, even none, and a next one",
    schema: { type: "integer", minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE },
  },
} as const;

const LIST_QUERY = {
  from: { description: "The first day; without it, from the earliest event on", schema: dateSchema },
  to: { description: "The last day; without it, up to the latest event", schema: dateSchema },
  timezone: UPCOMING_QUERY.timezone,
  search: {
    description: "Text in title, description or location, in upper or lower case",
    schema: { type: "string", minLength: 1, maxLength: MAX_SEARCH },
  },
  category: {
    description: "Only events of this category; after the other keeps come those without times",
    schema: { type: "string", enum: CATEGORIES },
  },
  ...PAGE_QUERY,
} as const;

/** Parameters of what changed. */
const CHANGES_QUERY = {
  since: {
    description: "The revision that the client knows; without it, the current one",
    schema: { type: "integer", minimum: 1 },
  },
  limit: { ...PAGE_QUERY.limit, description: "How many changes to return at most; a page may have fewer" },
} as const;

const SCOPE_QUERY = {
  scope: {
    description:
      "Which occurrences of a series are meant; without it, the one that has the id, or all for the series' id",
    schema: { type: "string", enum: SCOPES },
  },
} as const;

/** Below it are feeds: by their id for who made them, by their secret for everybody. */
export const FEEDS_PATH = "/feeds";

export const ROUTES = {
  getCurrentUser: {
    method: "GET",
    path: "/user",
    summary: "The current user",
    success: 200,
  },
  listCalendars: {
    method: "GET",
    path: "/calendars",
    summary: "The calendars the current user can access",
    include: CALENDAR_INCLUDE,
    success: 200,
  },
  getCalendar: {
    method: "GET",
    path: "/calendars/{calendar_id}",
    summary: "One calendar",
    include: CALENDAR_INCLUDE,
    success: 200,
  },
  listLabels: {
    method: "GET",
    path: "/calendars/{calendar_id}/labels",
    summary: "The labels of a calendar",
    success: 200,
  },
  listMembers: {
    method: "GET",
    path: "/calendars/{calendar_id}/members",
    summary: "The members of a calendar",
    success: 200,
  },
  getEvent: {
    method: "GET",
    path: "/calendars/{calendar_id}/events/{event_id}",
    summary: "One event",
    include: EVENT_INCLUDE,
    success: 200,
  },
  listUpcomingEvents: {
    method: "GET",
    path: "/calendars/{calendar_id}/upcoming_events",
    summary: "Events from today on",
    include: EVENT_INCLUDE,
    query: UPCOMING_QUERY,
    success: 200,
  },
  listEvents: {
    method: "GET",
    path: "/calendars/{calendar_id}/events",
    summary: "Events of any days, in pages",
    include: EVENT_INCLUDE,
    query: LIST_QUERY,
    success: 200,
  },
  listChanges: {
    method: "GET",
    path: "/calendars/{calendar_id}/changes",
    summary: "The events that were written or deleted since a revision, in pages",
    include: EVENT_INCLUDE,
    query: CHANGES_QUERY,
    success: 200,
  },
  createEvent: {
    method: "POST",
    path: "/calendars/{calendar_id}/events",
    summary: "Create an event",
    success: 201,
  },
  updateEvent: {
    method: "PUT",
    path: "/calendars/{calendar_id}/events/{event_id}",
    summary: "Replace an event",
    query: SCOPE_QUERY,
    success: 200,
  },
  deleteEvent: {
    method: "DELETE",
    path: "/calendars/{calendar_id}/events/{event_id}",
    summary: "Delete an event",
    query: SCOPE_QUERY,
    success: 204,
  },
  listActivities: {
    method: "GET",
    path: "/calendars/{calendar_id}/events/{event_id}/activities",
    summary: "The comments on an event, oldest first, in pages",
    include: ["creator"],
    query: PAGE_QUERY,
    success: 200,
  },
  createActivity: {
    method: "POST",
    path: "/calendars/{calendar_id}/events/{event_id}/activities",
    summary: "Comment on an event",
    success: 201,
  },
  listFeeds: {
    method: "GET",
    path: FEEDS_PATH,
    summary: "The feeds of the current user, without their secrets",
    success: 200,
  },
  createFeed: {
    method: "POST",
    path: FEEDS_PATH,
    summary: "Create a feed; only this response has its secret",
    success: 201,
  },
  deleteFeed: {
    method: "DELETE",
    path: `${FEEDS_PATH}/{feed_id}`,
    summary: "End a feed",
    success: 204,
  },
} as const satisfies Readonly<Record<string, Route>>;

/** The header with the revision of a calendar, beside its events. @see docs/extensions.md */
export const REVISION_HEADER = "calendar-revision";

export type RouteName = keyof typeof ROUTES;

/** The routes that read. */
export type ReadRouteName = {
  [N in RouteName]: (typeof ROUTES)[N]["method"] extends "GET" ? N : never;
}[RouteName];

export type WriteRouteName = Exclude<RouteName, ReadRouteName>;

/** Error statuses of every endpoint. @see contract section 7 */
export const FAILURE_STATUSES = [400, 401, 403, 404, 406, 429, 500, 503, 504] as const;
