import { DEFAULT_MEDIA_TYPE } from "../contract/limits.js";
import type { Activity, Calendar, CalendarEvent, EventDraft, Label, User } from "../contract/shapes.js";
import { type AnswerFacts, createExchange, type Exchange, factsOf } from "./json-api/exchange.js";
import { activityBody, eventBody } from "./json-api/requests.js";
import {
  indexIncluded,
  readActivity,
  readCalendar,
  readEvent,
  readLabel,
  readUser,
} from "./json-api/resources.js";
import { createSender, type SenderOptions } from "./sending/sender.js";

export type CalendarInclude = "labels" | "members";

/** Everything an event can bring along; one comma-separated value. */
const EVENT_INCLUDE = "creator,label,attendees";

export interface EventAddress {
  readonly calendarId: string;
  readonly eventId: string;
}

export interface UpcomingWindow {
  readonly calendarId: string;
  /** IANA name of the zone in which the days begin. */
  readonly timezone: string;
  /** Whole days from today on, 1 to 7. */
  readonly days: number;
}

/**
 * The contract's client: one function per endpoint, resources as flat shapes.
 * All of them throw CliError with the exit codes of docs/exit-codes.md. @see contract section 4
 */
export interface Api {
  getCurrentUser(): Promise<User>;
  listCalendars(include?: readonly CalendarInclude[]): Promise<readonly Calendar[]>;
  getCalendar(calendarId: string, include?: readonly CalendarInclude[]): Promise<Calendar>;
  listLabels(calendarId: string): Promise<readonly Label[]>;
  listMembers(calendarId: string): Promise<readonly User[]>;
  /** With creator, label and attendees filled in. */
  getEvent(address: EventAddress): Promise<CalendarEvent>;
  /** In the service's order, with creator, label and attendees filled in. */
  listUpcomingEvents(window: UpcomingWindow): Promise<readonly CalendarEvent[]>;
  createEvent(calendarId: string, draft: EventDraft): Promise<CalendarEvent>;
  updateEvent(address: EventAddress, draft: EventDraft): Promise<CalendarEvent>;
  deleteEvent(address: EventAddress): Promise<void>;
  createActivity(address: EventAddress, content: string): Promise<Activity>;
  /** What the headers of the last answer told; null before the first. */
  lastAnswer(): AnswerFacts | null;
}

export interface ApiOptions extends Omit<SenderOptions, "onAnswer"> {
  readonly baseUrl: URL;
  /** Value of `Accept`; the contract's own by default. */
  readonly mediaType?: string | undefined;
  /** Where the token came from, for messages; undefined without one. */
  readonly tokenSource?: string | undefined;
}

/** The client over a transport: bodies, repeats, waits and errors are its own. */
export function createApi(options: ApiOptions): Api {
  let facts: AnswerFacts | null = null;
  const { baseUrl, mediaType = DEFAULT_MEDIA_TYPE, tokenSource } = options;
  const send = createSender({
    ...options,
    onAnswer: (response) => {
      facts = factsOf(response);
    },
  });
  const exchange = createExchange({ send, baseUrl, mediaType, tokenSource });
  return { ...createReads(exchange), ...createWrites(exchange), lastAnswer: () => facts };
}

type Reads = Pick<
  Api,
  | "getCurrentUser"
  | "listCalendars"
  | "getCalendar"
  | "listLabels"
  | "listMembers"
  | "getEvent"
  | "listUpcomingEvents"
>;

function createReads(exchange: Exchange): Reads {
  return {
    async getCurrentUser() {
      const answer = await exchange("getCurrentUser", { subject: "the current user" });
      return answer.one(({ data }) => readUser(data, null));
    },
    async listCalendars(include) {
      const query = { include: joinInclude(include) };
      const answer = await exchange("listCalendars", { subject: "the calendars", query });
      return answer.many(({ data, included }) => {
        const index = indexIncluded(included);
        return data.map((resource) => readCalendar(resource, index));
      });
    },
    async getCalendar(calendarId, include) {
      const query = { include: joinInclude(include) };
      const ids = { calendar_id: calendarId };
      const answer = await exchange("getCalendar", { subject: `calendar ${calendarId}`, ids, query });
      return answer.one(({ data, included }) => readCalendar(data, indexIncluded(included)));
    },
    async listLabels(calendarId) {
      const ids = { calendar_id: calendarId };
      const answer = await exchange("listLabels", { subject: `the labels of calendar ${calendarId}`, ids });
      return answer.many(({ data }) => data.map((resource) => readLabel(resource, calendarId)));
    },
    async listMembers(calendarId) {
      const ids = { calendar_id: calendarId };
      const answer = await exchange("listMembers", { subject: `the members of calendar ${calendarId}`, ids });
      return answer.many(({ data }) => data.map((resource) => readUser(resource, calendarId)));
    },
    async getEvent(address) {
      const query = { include: EVENT_INCLUDE };
      const answer = await exchange("getEvent", { ...addressed(address), query });
      return answer.one(({ data, included }) => readEvent(data, indexIncluded(included), address.calendarId));
    },
    async listUpcomingEvents({ calendarId, timezone, days }) {
      const answer = await exchange("listUpcomingEvents", {
        subject: `the events of calendar ${calendarId}`,
        ids: { calendar_id: calendarId },
        query: { timezone, days: String(days), include: EVENT_INCLUDE },
      });
      return answer.many(({ data, included }) => {
        const index = indexIncluded(included);
        return data.map((resource) => readEvent(resource, index, calendarId));
      });
    },
  };
}

type Writes = Pick<Api, "createEvent" | "updateEvent" | "deleteEvent" | "createActivity">;

function createWrites(exchange: Exchange): Writes {
  return {
    async createEvent(calendarId, draft) {
      const answer = await exchange("createEvent", {
        subject: `event "${draft.title}" in calendar ${calendarId}`,
        notFound: `calendar ${calendarId}`,
        ids: { calendar_id: calendarId },
        body: eventBody(draft, calendarId),
        lookAt: "look with `calctl events list` before you repeat it",
      });
      return answer.one(({ data, included }) => readEvent(data, indexIncluded(included), calendarId));
    },
    async updateEvent(address, draft) {
      const body = eventBody(draft, address.calendarId);
      const answer = await exchange("updateEvent", { ...addressed(address), body });
      return answer.one(({ data, included }) => readEvent(data, indexIncluded(included), address.calendarId));
    },
    async deleteEvent(address) {
      await exchange("deleteEvent", addressed(address));
    },
    async createActivity(address, content) {
      const answer = await exchange("createActivity", {
        ...addressed(address),
        subject: `comment on event ${address.eventId}`,
        notFound: addressed(address).subject,
        body: activityBody(content),
        lookAt: "look at the event's comments before you repeat it",
      });
      return answer.one(({ data }) => readActivity(data, address.calendarId, address.eventId));
    },
  };
}

function addressed({ calendarId, eventId }: EventAddress) {
  return {
    subject: `event ${eventId} in calendar ${calendarId}`,
    ids: { calendar_id: calendarId, event_id: eventId },
  };
}

function joinInclude(include: readonly string[] | undefined): string | undefined {
  return include === undefined || include.length === 0 ? undefined : include.join(",");
}
