import type { Scope } from "../../contract/extensions.js";
import {
  ContractMismatch,
  readBaseUrl,
  readChangesMeta,
  readKept,
  readListedCategory,
  readText,
} from "../../contract/lenient-resources.js";
import { MAX_PAGE } from "../../contract/limits.js";
import { ROUTES } from "../../contract/routes.js";
import type {
  Activity,
  Calendar,
  Category,
  Comment,
  Event,
  EventDraft,
  Feed,
  Label,
  User,
} from "../../contract/shapes.js";
import { CliError } from "../errors.js";
import {
  type JsonApiResponse,
  openPages,
  type Pages,
  type ReadResource,
  type RequestRoute,
  type RouteKey,
} from "./json-api/json-api.js";
import {
  eventBody,
  readActivity,
  readCalendar,
  readComment,
  readEvent,
  readFeed,
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

/** What a POST has made. */
export interface Created<T> {
  readonly created: T;
  /** Whether the given key had created it before, in another request. */
  readonly isRepeat: boolean;
}

interface UpdateOptions {
  /** Which events of a series are meant; only for services with the extension `recurrences`. */
  readonly scope?: Scope | undefined;
  /**
   * Whether an attempt without a response has changed the event, judging by its current state; called before the attempt is
   * repeated. What it throws ends the update. Without it, the attempt is simply repeated.
   */
  readonly isApplied?: ((current: Event) => boolean) | undefined;
}

/** What a PUT has left. */
export interface Updated {
  readonly event: Event;
  /** How many occurrences of the series were changed before, each on its own, and stay as they are. */
  readonly kept: number;
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

/** A feed that is to be made. */
interface FeedDraft {
  /** Undefined for one that the service chooses. */
  readonly name: string | undefined;
  readonly calendarIds: readonly string[];
  readonly busyOnly: boolean;
  /** IANA time zone of its days. */
  readonly timezone: string;
  /** Whether the service is in this process: feeds are then at the address in the response, not below the base URL. */
  readonly isLocal: boolean;
}

/**
 * The key of a create or comment: the given one, else a random one; undefined where the service keeps none.
 * @throws CliError rejected for a given one that the service does not keep
 */
export type KeyOf = (calendarId: string, given: string | undefined) => Promise<RouteKey | undefined>;

/** One function for each endpoint, with resources as flat shapes. */
export type Endpoints = ReturnType<typeof createEndpoints>;

/**
 * The endpoints over requests of the contract. All throw CliError with the exit codes of docs/exit-codes.md. Events have
 * creator, label and attendees filled in.
 * @see contract section 4, docs/extensions.md
 */
export function createEndpoints(request: RequestRoute, keyOf: KeyOf) {
  return {
    async getCurrentUser(): Promise<User> {
      const response = await request("getCurrentUser", { subject: "the current user" });
      return response.one((user) => readUser(user, null));
    },

    async listCalendars(include?: readonly CalendarInclude[]): Promise<readonly Calendar[]> {
      const query = { include: joinInclude(include) };
      const response = await request("listCalendars", { subject: "the calendars", query });
      return response.many(readCalendar);
    },

    async getCalendar(calendarId: string, include?: readonly CalendarInclude[]): Promise<Calendar> {
      const query = { include: joinInclude(include) };
      const response = await request("getCalendar", { ...ofCalendar(calendarId), query });
      return response.one(readCalendar);
    },

    async listLabels(calendarId: string): Promise<readonly Label[]> {
      const response = await request("listLabels", ofCalendar(calendarId, "the labels of "));
      return response.many((label) => readLabel(label, calendarId));
    },

    async listMembers(calendarId: string): Promise<readonly User[]> {
      const response = await request("listMembers", ofCalendar(calendarId, "the members of "));
      return response.many((user) => readUser(user, calendarId));
    },

    async getEvent(address: EventAddress): Promise<Event> {
      const response = await request("getEvent", { ...ofEvent(address), query: EVENT_QUERY });
      return response.one(eventIn(address.calendarId));
    },

    /**
     * The events of 1 to 7 days from today on, in the service's order, and the revision since which the service tells what
     * changed; null if it does not.
     * @param window.timezone IANA time zone in which the days begin
     */
    async listUpcomingEvents(window: {
      readonly calendarId: string;
      readonly timezone: string;
      readonly days: number;
    }) {
      const { calendarId, timezone, days } = window;
      const response = await request("listUpcomingEvents", {
        ...ofCalendar(calendarId, "the events of "),
        query: { timezone, days: String(days), ...EVENT_QUERY },
      });
      return { events: response.many(eventIn(calendarId)), revision: response.revision };
    },

    /**
     * What changed in a calendar since a revision: the events that were written as they are now, the ids of those that were
     * deleted, and whether the calendar itself, its labels or its members changed. Null when the service cannot tell, or
     * more changed than a list would have: the events must be read anew.
     */
    async listChanges({ calendarId, since }: { readonly calendarId: string; readonly since: number }) {
      const response = await request("listChanges", {
        ...ofCalendar(calendarId, "the changes of "),
        query: { since: String(since), limit: String(MAX_PAGE), ...EVENT_QUERY },
      }).catch(nullIfUnknown);
      if (response === null || response.next() !== null) return null;
      const events = response.many(eventIn(calendarId));
      return { events, ...response.read(readChangesMeta) };
    },

    /**
     * By start and id, and whether the list has the keeps without times, which were asked for. Null when the service does
     * not have this list, or no such calendar.
     */
    async listEvents(query: EventListQuery) {
      const { calendarId, from, to, timezone, search, category, limit = MAX_PAGE } = query;
      const days = { from: from ?? undefined, to: to ?? undefined, timezone };
      const filter = { search: search ?? undefined, category };
      const list = await openPages(request, {
        name: "listEvents",
        request: {
          ...ofCalendar(calendarId, "the events of "),
          query: { ...days, ...filter, limit: String(limit), ...EVENT_QUERY },
        },
        read: eventIn(calendarId),
      });
      return (
        list && { pages: list.pages, hasKeepsWithoutTimes: list.first.read(readListedCategory) === "keep" }
      );
    },

    /** Comments, oldest first. Null when the service does not have this list, or no such event. */
    async listComments(address: EventAddress): Promise<Pages<Comment> | null> {
      const list = await openPages(request, {
        name: "listActivities",
        request: {
          ...ofEvent(address),
          subject: `the comments on event ${address.eventId}`,
          query: { limit: String(MAX_PAGE), include: "creator" },
        },
        read: (comment, included) => readComment(comment, included, address),
      });
      return list?.pages ?? null;
    },

    /** Without their addresses. Null when the service has no feeds. */
    async listFeeds(): Promise<readonly Feed[] | null> {
      const response = await request("listFeeds", { subject: "the feeds" }).catch(nullIfUnknown);
      return response?.many(readFeed) ?? null;
    },

    /** With its address. Null when the service has no feeds. */
    async createFeed({ name, calendarIds, busyOnly, timezone, isLocal }: FeedDraft): Promise<Feed | null> {
      const calendars = { data: calendarIds.map((id) => ({ id, type: "calendar" })) };
      const response = await request("createFeed", {
        subject: "the feed",
        body: {
          data: { attributes: { name, busy_only: busyOnly, timezone }, relationships: { calendars } },
        },
        checkHint:
          "calctl feeds list shows whether it was created; if so, remove it, since nobody knows its address",
      }).catch(nullIfUnknown);
      if (response === null) return null;
      const base = isLocal ? response.read(readBaseUrl) : null;
      const feeds = base === null ? response.url : `${base}${ROUTES.createFeed.path}`;
      return response.one((feed) => {
        const secret = readText(feed.attributes["secret"], "secret");
        if (secret === null) throw new ContractMismatch("a new feed has no secret");
        return { ...readFeed(feed), address: `${feeds}/${secret}` };
      });
    },

    async deleteFeed(feedId: string): Promise<void> {
      await request("deleteFeed", { subject: `feed ${feedId}`, ids: { feed_id: feedId } });
    },

    /** @param key under which it is created once @throws CliError rejected where the service keeps no keys */
    async createEvent(calendarId: string, draft: EventDraft, key?: string): Promise<Created<Event>> {
      const { ids, subject } = ofCalendar(calendarId);
      const response = await request("createEvent", {
        subject: `event "${draft.title}" in ${subject}`,
        notFound: subject,
        ids,
        body: eventBody(draft, calendarId),
        key: await keyOf(calendarId, key),
        checkHint: "check with `calctl events list` before you repeat it",
      });
      return { created: response.one(eventIn(calendarId)), isRepeat: response.isReplay };
    },

    /** @returns the event; of a series that was written, the series */
    async updateEvent(
      address: EventAddress,
      draft: EventDraft,
      { isApplied, scope }: UpdateOptions = {},
    ): Promise<Updated> {
      // Events of a series that is written get other ids.
      const isMany = scope === "following" || scope === "all";
      const findApplied = async (): Promise<JsonApiResponse | null> => {
        const found = request("getEvent", { ...ofEvent(address), query: EVENT_QUERY });
        const current = await found.catch((error: unknown) => {
          if (isMany && error instanceof CliError && error.status === 404)
            throw unknownUpdate(address, error);
          throw error;
        });
        return isApplied?.(current.one(eventIn(address.calendarId))) === true ? current : null;
      };
      const response = await request("updateEvent", {
        ...ofEvent(address),
        query: { scope },
        body: eventBody(draft, address.calendarId),
        ...(isApplied === undefined && !isMany ? {} : { beforeRepeat: findApplied }),
      });
      return { event: response.one(eventIn(address.calendarId)), kept: response.read(readKept) };
    },

    async deleteEvent(address: EventAddress, { scope }: Pick<UpdateOptions, "scope"> = {}): Promise<void> {
      await request("deleteEvent", { ...ofEvent(address), query: { scope } });
    },

    /** @param key as that of `createEvent` */
    async createActivity(address: EventAddress, content: string, key?: string): Promise<Created<Activity>> {
      const { ids, subject } = ofEvent(address);
      const response = await request("createActivity", {
        subject: `comment on event ${address.eventId}`,
        notFound: subject,
        ids,
        body: { data: { attributes: { content } } },
        key: await keyOf(address.calendarId, key),
        checkHint: "check the event's comments before you repeat it",
      });
      const created = response.one((activity) => readActivity(activity, address.calendarId, address.eventId));
      return { created, isRepeat: response.isReplay };
    },
  };
}

function unknownUpdate({ eventId }: EventAddress, cause: CliError): CliError {
  return new CliError("outcome_unknown", `it is unknown whether the series of event ${eventId} was updated`, {
    hint: "look at it with `calctl events list`: its events have other ids if it was",
    cause,
  });
}

/** The service does not have the endpoint, or does not know any more what changed. */
function nullIfUnknown(error: unknown): null {
  if (error instanceof CliError && [404, 405, 410].includes(error.status ?? 0)) return null;
  throw error;
}

/** Reads an event of a calendar. */
function eventIn(calendarId: string): ReadResource<Event> {
  return (event, included) => readEvent(event, included, calendarId);
}

/** @param what of the calendar is meant, if it is not the calendar itself */
function ofCalendar(calendarId: string, what = "") {
  return { subject: `${what}calendar ${calendarId}`, ids: { calendar_id: calendarId } };
}

function ofEvent({ calendarId, eventId }: EventAddress) {
  return {
    subject: `event ${eventId} in calendar ${calendarId}`,
    ids: { calendar_id: calendarId, event_id: eventId },
  };
}

function joinInclude(include: readonly string[] | undefined): string | undefined {
  return include === undefined || include.length === 0 ? undefined : include.join(",");
}
