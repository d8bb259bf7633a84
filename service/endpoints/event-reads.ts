import type { EventResource, LabelResource, UserResource } from "../../contract/resources.js";
import { inSlices } from "../../src/system/clock.js";
import { dayWindow } from "../day-window.js";
import { ProblemError } from "../http/response.js";
import { attendeesOf, isSeries, isStored } from "../occurrence.js";
import { eventResource, labelResource, memberResource } from "../resources.js";
import { listLabels } from "../store/calendars.js";
import { findEvent, listAttendees, type ShownEvent } from "../store/events.js";
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
      const attendeeIds = await listAttendeesOf(db, event);
      const events = [{ ...event, attendees: attendeeIds.join(" ") }];
      const included = await loadIncluded(db, { calendarId, events, ...query });
      return { data: eventResource(event, attendeeIds), ...included };
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
      const included = await loadIncluded(db, { calendarId, events, ...query });
      return { data: await eventResources(events), ...included };
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

/** Events as responses have them. Others get their turn meanwhile: there may be many. */
export async function eventResources(events: readonly ShownEvent[]): Promise<readonly EventResource[]> {
  const resources: EventResource[] = [];
  for await (const event of inSlices(events)) resources.push(eventResource(event, attendeesOf(event)));
  return resources;
}

/** Events that a document has, and the resources that it is to include with them. */
interface IncludeOptions {
  readonly calendarId: string;
  readonly events: readonly Pick<ShownEvent, "creator_id" | "label_number" | "attendees">[];
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
  const creators = include.has("creator") ? events.map(({ creator_id }) => creator_id) : [];
  const attendees = include.has("attendees") ? events.flatMap(attendeesOf) : [];
  const users = new Set([...creators, ...attendees]);
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
