import { readChangesMeta, readListedCategory } from "../../contract/lenient-resources.js";
import { MAX_PAGE } from "../../contract/limits.js";
import type {
  Activity,
  Calendar,
  CalendarEvent,
  Category,
  Comment,
  EventDraft,
  Label,
  User,
} from "../../contract/shapes.js";
import { CliError } from "../errors.js";
import type { JsonApiResponse, ListDocument, RequestRoute } from "./json-api/json-api.js";
import { openPages, type Pages } from "./json-api/pages.js";
import { activityBody, eventBody } from "./json-api/request-bodies.js";
import {
  indexIncluded,
  readActivity,
  readCalendar,
  readComment,
  readEvent,
  readLabel,
  readUser,
} from "./json-api/resources.js";

export type CalendarInclude = "labels" | "members";

/** Everything that can be included with an event. */
const EVENT_QUERY = { include: "creator,label,attendees" };

export interface EventAddress {
  readonly calendarId: string;
  readonly eventId: string;
}

interface UpcomingWindow {
  readonly calendarId: string;
  /** IANA time zone in which the days begin. */
  readonly timezone: string;
  /** Number of days starting today, 1 to 7. */
  readonly days: number;
}

/** The events of some days. */
interface UpcomingEvents {
  readonly events: readonly CalendarEvent[];
  /** Since which the service tells what changed; null if it does not. @see docs/extensions.md */
  readonly revision: number | null;
}

/** What changed in a calendar since a revision. */
interface CalendarChanges {
  readonly revision: number;
  /** Those that were written, as they are now. */
  readonly events: readonly CalendarEvent[];
  /** Ids of those that were deleted. */
  readonly deleted: readonly string[];
  /** Whether the calendar itself, its labels or its members changed. */
  readonly detailsChanged: boolean;
}

/** Which events of a calendar are listed. */
interface EventListQuery {
  readonly calendarId: string;
  /** `YYYY-MM-DD`: the first and the last day; null for no limit. */
  readonly from: string | null;
  readonly to: string | null;
  /** IANA time zone in which the days begin. */
  readonly timezone: string;
  /** Text in title, description or location; null for every event. */
  readonly search: string | null;
  /** Only these; `keep` asks for those without times too, which come last. */
  readonly category?: Category | undefined;
  /** How many events a page has at most; by default as many as one can have. */
  readonly limit?: number | undefined;
}

interface EventList {
  readonly pages: Pages<CalendarEvent>;
  /** Whether it has the keeps without times, which were asked for. */
  readonly hasKeepsWithoutTimes: boolean;
}

/**
 * One function for each endpoint, with resources as flat shapes.
 * All throw CliError with the exit codes of docs/exit-codes.md. @see contract section 4, docs/extensions.md
 */
export interface Endpoints {
  getCurrentUser(): Promise<User>;
  listCalendars(include?: readonly CalendarInclude[]): Promise<readonly Calendar[]>;
  getCalendar(calendarId: string, include?: readonly CalendarInclude[]): Promise<Calendar>;
  listLabels(calendarId: string): Promise<readonly Label[]>;
  listMembers(calendarId: string): Promise<readonly User[]>;
  /** With creator, label and attendees filled in. */
  getEvent(address: EventAddress): Promise<CalendarEvent>;
  /** In the service's order, with creator, label and attendees filled in. */
  listUpcomingEvents(window: UpcomingWindow): Promise<UpcomingEvents>;
  /**
   * With creator, label and attendees filled in. Null when the service cannot tell, or more changed than a list would have:
   * the events must be read anew. @see docs/extensions.md
   */
  listChanges(query: {
    readonly calendarId: string;
    readonly since: number;
  }): Promise<CalendarChanges | null>;
  /**
   * By start and id, with creator, label and attendees filled in. Null when the service does not have this list, or no
   * such calendar. @see docs/extensions.md
   */
  listEvents(query: EventListQuery): Promise<EventList | null>;
  /** Comments, oldest first. Null when the service does not have this list, or no such event. @see docs/extensions.md */
  listComments(address: EventAddress): Promise<Pages<Comment> | null>;
  createEvent(calendarId: string, draft: EventDraft): Promise<CalendarEvent>;
  /**
   * @param isApplied whether an attempt without a response has changed the event, judging by its current state; called
   * before the attempt is repeated. What it throws ends the update. Without it, the attempt is simply repeated.
   */
  updateEvent(
    address: EventAddress,
    draft: EventDraft,
    isApplied?: (current: CalendarEvent) => boolean,
  ): Promise<CalendarEvent>;
  deleteEvent(address: EventAddress): Promise<void>;
  createActivity(address: EventAddress, content: string): Promise<Activity>;
}

export function createEndpoints(request: RequestRoute): Endpoints {
  return { ...createReads(request), ...createWrites(request) };
}

function createReads(request: RequestRoute) {
  return {
    async getCurrentUser() {
      const response = await request("getCurrentUser", { subject: "the current user" });
      return response.one(({ data }) => readUser(data, null));
    },
    async listCalendars(include) {
      const query = { include: joinInclude(include) };
      const response = await request("listCalendars", { subject: "the calendars", query });
      return response.many(({ data, included }) => {
        const index = indexIncluded(included);
        return data.map((resource) => readCalendar(resource, index));
      });
    },
    async getCalendar(calendarId, include) {
      const query = { include: joinInclude(include) };
      const ids = { calendar_id: calendarId };
      const response = await request("getCalendar", { subject: `calendar ${calendarId}`, ids, query });
      return response.one(({ data, included }) => readCalendar(data, indexIncluded(included)));
    },
    async listLabels(calendarId) {
      const ids = { calendar_id: calendarId };
      const response = await request("listLabels", { subject: `the labels of calendar ${calendarId}`, ids });
      return response.many(({ data }) => data.map((resource) => readLabel(resource, calendarId)));
    },
    async listMembers(calendarId) {
      const ids = { calendar_id: calendarId };
      const response = await request("listMembers", {
        subject: `the members of calendar ${calendarId}`,
        ids,
      });
      return response.many(({ data }) => data.map((resource) => readUser(resource, calendarId)));
    },
    async getEvent(address) {
      const response = await request("getEvent", { ...eventRequest(address), query: EVENT_QUERY });
      return readOneEvent(response, address);
    },
    async listUpcomingEvents({ calendarId, timezone, days }) {
      const response = await request("listUpcomingEvents", {
        subject: `the events of calendar ${calendarId}`,
        ids: { calendar_id: calendarId },
        query: { timezone, days: String(days), ...EVENT_QUERY },
      });
      return { events: response.many(createEventsReader(calendarId)), revision: response.revision };
    },
    async listChanges({ calendarId, since }) {
      const response = await request("listChanges", {
        subject: `the changes of calendar ${calendarId}`,
        ids: { calendar_id: calendarId },
        query: { since: String(since), limit: String(MAX_PAGE), ...EVENT_QUERY },
      }).catch(nullIfUnknown);
      if (response === null || response.next() !== null) return null;
      const events = response.many(createEventsReader(calendarId));
      return { events, ...response.read(readChangesMeta) };
    },
    async listEvents({ calendarId, from, to, timezone, search, category, limit = MAX_PAGE }) {
      const days = { from: from ?? undefined, to: to ?? undefined, timezone };
      const filter = { search: search ?? undefined, category };
      const list = await openPages(request, {
        name: "listEvents",
        request: {
          subject: `the events of calendar ${calendarId}`,
          ids: { calendar_id: calendarId },
          query: { ...days, ...filter, limit: String(limit), ...EVENT_QUERY },
        },
        read: createEventsReader(calendarId),
      });
      return (
        list && { pages: list.pages, hasKeepsWithoutTimes: list.first.read(readListedCategory) === "keep" }
      );
    },
    async listComments(address) {
      const list = await openPages(request, {
        name: "listActivities",
        request: {
          ...eventRequest(address),
          subject: `the comments on event ${address.eventId}`,
          query: { limit: String(MAX_PAGE), include: "creator" },
        },
        read: ({ data, included }) => {
          const index = indexIncluded(included);
          return data.map((resource) => readComment(resource, index, address));
        },
      });
      return list?.pages ?? null;
    },
  } satisfies Partial<Endpoints>;
}

function createWrites(request: RequestRoute) {
  return {
    async createEvent(calendarId, draft) {
      const response = await request("createEvent", {
        subject: `event "${draft.title}" in calendar ${calendarId}`,
        notFound: `calendar ${calendarId}`,
        ids: { calendar_id: calendarId },
        body: eventBody(draft, calendarId),
        checkHint: "check with `calctl events list` before you repeat it",
      });
      return readOneEvent(response, { calendarId });
    },
    async updateEvent(address, draft, isApplied) {
      const findApplied = async (): Promise<JsonApiResponse | null> => {
        const current = await request("getEvent", { ...eventRequest(address), query: EVENT_QUERY });
        return isApplied?.(readOneEvent(current, address)) === true ? current : null;
      };
      const response = await request("updateEvent", {
        ...eventRequest(address),
        body: eventBody(draft, address.calendarId),
        ...(isApplied === undefined ? {} : { beforeRepeat: findApplied }),
      });
      return readOneEvent(response, address);
    },
    async deleteEvent(address) {
      await request("deleteEvent", eventRequest(address));
    },
    async createActivity(address, content) {
      const response = await request("createActivity", {
        ...eventRequest(address),
        subject: `comment on event ${address.eventId}`,
        notFound: eventRequest(address).subject,
        body: activityBody(content),
        checkHint: "check the event's comments before you repeat it",
      });
      return response.one(({ data }) => readActivity(data, address.calendarId, address.eventId));
    },
  } satisfies Partial<Endpoints>;
}

/** The service does not have the endpoint, or does not know any more what changed. */
function nullIfUnknown(error: unknown): null {
  if (error instanceof CliError && [404, 405, 410].includes(error.status ?? 0)) return null;
  throw error;
}

/** Reads the events of a document. */
function createEventsReader(calendarId: string) {
  return ({ data, included }: ListDocument): readonly CalendarEvent[] => {
    const index = indexIncluded(included);
    return data.map((resource) => readEvent(resource, index, calendarId));
  };
}

function readOneEvent(
  response: JsonApiResponse,
  { calendarId }: Pick<EventAddress, "calendarId">,
): CalendarEvent {
  return response.one(({ data, included }) => readEvent(data, indexIncluded(included), calendarId));
}

function eventRequest({ calendarId, eventId }: EventAddress) {
  return {
    subject: `event ${eventId} in calendar ${calendarId}`,
    ids: { calendar_id: calendarId, event_id: eventId },
  };
}

function joinInclude(include: readonly string[] | undefined): string | undefined {
  return include === undefined || include.length === 0 ? undefined : include.join(",");
}
