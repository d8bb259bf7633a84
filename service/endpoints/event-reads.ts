import type { LabelResource, UserResource } from "../../contract/resources.js";
import { dayWindow } from "../day-window.js";
import { ProblemError } from "../http/response.js";
import { isSeries, isStored } from "../occurrence.js";
import { labelResource, memberResource } from "../resources.js";
import { listLabels } from "../store/calendars.js";
import { findEvent, listAllAttendees, listAttendees } from "../store/events.js";
import type { EventRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import { listUsers } from "../store/users.js";
import { type ReadContext, type ReadEndpoint, type Representation, requireCalendar } from "./endpoint.js";
import { listWindow } from "./listed-events.js";

export const eventReads = { getEvent, listUpcomingEvents } as const satisfies Readonly<
  Record<string, ReadEndpoint>
>;

function getEvent({ access, parameter, query }: ReadContext): Representation {
  const { id: calendarId, revision } = requireCalendar(access);
  const eventId = parameter("event_id");
  return {
    version: [eventId, revision],
    async render(db) {
      const event = await requireEvent(db, calendarId, eventId);
      const hasRow = isStored(event) && !isSeries(event);
      const shown = hasRow ? event : { ...event, attendeeIds: await listAttendeesOf(db, event) };
      return jsonDocument(event.json, await loadIncluded(db, { calendarId, events: [shown], ...query }));
    },
  };
}

function listUpcomingEvents({ access, now, query }: ReadContext): Representation {
  const { id: calendarId, revision } = requireCalendar(access);
  const { window, until } = dayWindow(now, query);
  return {
    version: [calendarId, revision, window],
    revision,
    until,
    async render(db) {
      const events = await listWindow(db, calendarId, window);
      return jsonDocument(jsonArray(events), await loadIncluded(db, { calendarId, events, ...query }));
    },
  };
}

/** @throws ProblemError 404 when the calendar has no such event */
export async function requireEvent(db: Transaction, calendarId: string, eventId: string): Promise<EventRow> {
  const event = await findAnyEvent(db, calendarId, eventId);
  if (event === undefined) throw new ProblemError(404);
  return event;
}

/** An event, a series, or an occurrence that is no row yet; undefined if the calendar has none with the id. */
export async function findAnyEvent(
  db: Transaction,
  calendarId: string,
  eventId: string,
): Promise<EventRow | undefined> {
  const event = await findEvent(db, calendarId, eventId);
  return event ?? (await import("./series-reads.js")).findRepeating(db, calendarId, eventId);
}

/** Plain ids of the attendees of what `findAnyEvent` found, in order. */
export async function listAttendeesOf(db: Transaction, event: EventRow): Promise<readonly string[]> {
  if (!isSeries(event) && isStored(event)) return listAttendees(db, event.id);
  return (await import("./series-reads.js")).listSeriesAttendees(db, event);
}

interface IncludingEvent extends Pick<EventRow, "id" | "creator_id" | "label_number"> {
  /** Plain ids, of an event that is no row; undefined of one that is. */
  readonly attendeeIds?: readonly string[] | undefined;
}

/** Events that a document has, and the resources that it is to include with them. */
interface IncludeOptions {
  readonly calendarId: string;
  readonly events: readonly IncludingEvent[];
  readonly include: ReadonlySet<string>;
}

/**
 * The resources that the parameter `include` asks for, each once. Users who left the calendar are included too.
 * @returns the member `included` of the document; none without the parameter
 */
export async function loadIncluded(
  db: Transaction,
  { calendarId, events, include }: IncludeOptions,
): Promise<{ readonly included?: readonly (UserResource | LabelResource)[] }> {
  if (include.size === 0) return {};
  const ids = events.map(({ id }) => id);
  const creators = include.has("creator") ? events.map(({ creator_id }) => creator_id) : [];
  const attendees = include.has("attendees") ? await listAllAttendees(db, ids) : [];
  const others = include.has("attendees") ? events.flatMap(({ attendeeIds = [] }) => attendeeIds) : [];
  const users = [...creators, ...attendees.map(({ user_id }) => user_id), ...others];
  const numbers = new Set(include.has("label") ? events.map(({ label_number }) => label_number) : []);
  const labels = numbers.size > 0 ? await listLabels(db, [calendarId]) : [];
  return {
    included: [
      ...(await includeUsers(db, calendarId, users)),
      ...labels.filter(({ number }) => numbers.has(number)).map(labelResource),
    ],
  };
}

/** Users as members of a calendar, each once, ordered by id. */
export async function includeUsers(
  db: Transaction,
  calendarId: string,
  ids: Iterable<string>,
): Promise<readonly UserResource[]> {
  return (await listUsers(db, ids)).map((user) => memberResource(calendarId, user));
}

/**
 * A document whose data is JSON already.
 * @param data JSON
 * @param rest the members after `data`
 */
export function jsonDocument(data: string, rest: object = {}): string {
  const members = JSON.stringify(rest).slice(1, -1);
  return `{"data":${data}${members === "" ? "" : `,${members}`}}`;
}

/** Events as a JSON array. */
export function jsonArray(events: readonly Pick<EventRow, "json">[]): string {
  return `[${events.map(({ json }) => json).join(",")}]`;
}
