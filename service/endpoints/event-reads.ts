import { plainId } from "../../contract/ids.js";
import type { EventResource, LabelResource, UserResource } from "../../contract/resources.js";
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
import { readWindow } from "./listed-events.js";

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
      const data = eventResource(event, await listAttendeesOf(db, event));
      return { data, ...(await loadIncluded(db, { calendarId, events: [data], ...query })) };
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
      const data: EventResource[] = [];
      for await (const events of readWindow(db, calendarId, window)) data.push(...eventResources(events));
      return { data, ...(await loadIncluded(db, { calendarId, events: data, ...query })) };
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

/** Some events as responses have them. */
export function eventResources(events: readonly ShownEvent[]): readonly EventResource[] {
  return events.map((event) => eventResource(event, attendeesOf(event)));
}

/** Events that a document has, and the resources that it is to include with them. */
interface IncludeOptions {
  readonly calendarId: string;
  readonly events: readonly EventResource[];
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
  const referred = events.map(({ relationships }) => relationships);
  const creators = include.has("creator") ? referred.map(({ creator }) => creator.data.id) : [];
  const attendees = include.has("attendees") ? referred.flatMap(({ attendees: { data } }) => data) : [];
  const users = new Set([...creators, ...attendees.map(({ id }) => id)]);
  const labelIds = new Set(include.has("label") ? referred.map(({ label }) => label.data.id) : []);
  const labels = labelIds.size > 0 ? await listLabels(db, [calendarId]) : [];
  return {
    included: [
      ...(await includeUsers(db, calendarId, Array.from(users, plainId))),
      ...labels.map(labelResource).filter(({ id }) => labelIds.has(id)),
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
