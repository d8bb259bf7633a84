import * as v from "valibot";
import { activityBodySchema } from "../../contract/bodies.js";
import { badRequest, ProblemError } from "../http/reply.js";
import { activityResource, eventResource, labelResource, memberResource } from "../resources.js";
import { createHexId } from "../secrets.js";
import { listLabels, listMembers } from "../store/calendars.js";
import {
  findEvent,
  insertEvent,
  listAttendees,
  listAttendeesWithin,
  listEventsWithin,
  replaceEvent,
  type WholeEvent,
} from "../store/events.js";
import type { EventRow } from "../store/schema.js";
import { listUsers } from "../store/users.js";
import { dayWindow } from "../window.js";
import { type EndpointContext, requireCalendar } from "./endpoint.js";
import {
  collectFieldErrors,
  type EventReferences,
  listFieldErrors,
  parseEventBody,
  unstorableText,
} from "./event-body.js";

export async function getEvent(context: EndpointContext): Promise<object> {
  const { id: calendarId } = await requireCalendar(context);
  const event = await requireEvent(context, calendarId);
  return {
    data: eventResource(event.row, event.attendeeIds),
    ...(await include(context, calendarId, [event])),
  };
}

export async function listUpcomingEvents(context: EndpointContext): Promise<object> {
  const { id: calendarId } = await requireCalendar(context);
  const window = dayWindow(context.now, context.query);
  const rows = await listEventsWithin(context.db, calendarId, window);
  const attendees = new Map<string, string[]>(rows.map(({ id }) => [id, []]));
  for (const { event_id, user_id } of await listAttendeesWithin(context.db, calendarId, window)) {
    attendees.get(event_id)?.push(user_id);
  }
  const events = rows.map((row) => ({ row, attendeeIds: attendees.get(row.id) ?? [] }));
  return {
    data: events.map(({ row, attendeeIds }) => eventResource(row, attendeeIds)),
    ...(await include(context, calendarId, events)),
  };
}

export async function createEvent(context: EndpointContext): Promise<object> {
  const { id: calendarId } = await requireCalendar(context);
  const { content, attendeeIds } = parseEventBody(context.body, await references(context, calendarId));
  const row: EventRow = {
    ...content,
    id: createHexId(),
    calendar_id: calendarId,
    creator_id: context.userId,
    created_at: context.now,
    updated_at: context.now,
  };
  await insertEvent(context.db, { row, attendeeIds });
  return { data: eventResource(row, attendeeIds) };
}

export async function updateEvent(context: EndpointContext): Promise<object> {
  const { id: calendarId } = await requireCalendar(context);
  const known = await requireEvent(context, calendarId);
  const allowed = await references(context, calendarId);
  // Who attends may stay although no member any more, or nobody could change such an event.
  const userIds = new Set([...allowed.userIds, ...known.attendeeIds]);
  const { content, attendeeIds } = parseEventBody(context.body, { ...allowed, userIds });
  // Two changes within one millisecond must be told apart too.
  const row = { ...known.row, ...content, updated_at: Math.max(context.now, known.row.updated_at + 1) };
  await replaceEvent(context.db, { row, attendeeIds });
  return { data: eventResource(row, attendeeIds) };
}

export async function deleteEvent(context: EndpointContext): Promise<null> {
  const { id: calendarId } = await requireCalendar(context);
  const { row } = await requireEvent(context, calendarId);
  await context.db.deleteFrom("events").where("id", "=", row.id).execute();
  return null;
}

/** The event of the path. @throws ProblemError 404 when the calendar has none of this id */
export async function requireEvent(
  { db, parameter }: EndpointContext,
  calendarId: string,
): Promise<WholeEvent> {
  const row = await findEvent(db, calendarId, parameter("event_id"));
  if (row === undefined) throw new ProblemError(404);
  return { row, attendeeIds: (await listAttendees(db, row.id)).map(({ user_id }) => user_id) };
}

async function references({ db }: EndpointContext, calendarId: string): Promise<EventReferences> {
  return {
    calendarId,
    labelNumbers: new Set((await listLabels(db, [calendarId])).map(({ number }) => number)),
    userIds: new Set((await listMembers(db, [calendarId])).map(({ id }) => id)),
  };
}

/** The related objects that were asked for, each once. Who left the calendar is still told by name. */
async function include(
  { db, query }: EndpointContext,
  calendarId: string,
  events: readonly WholeEvent[],
): Promise<{ included?: object[] }> {
  if (query.include.size === 0) return {};
  const userIds = new Set([
    ...(query.include.has("creator") ? events.map(({ row }) => row.creator_id) : []),
    ...(query.include.has("attendees") ? events.flatMap(({ attendeeIds }) => attendeeIds) : []),
  ]);
  const labelNumbers = new Set(query.include.has("label") ? events.map(({ row }) => row.label_number) : []);
  const users = await listUsers(db, [...userIds]);
  const labels = labelNumbers.size === 0 ? [] : await listLabels(db, [calendarId]);
  return {
    included: [
      ...users.map((user) => memberResource(calendarId, user)),
      ...labels.filter(({ number }) => labelNumbers.has(number)).map(labelResource),
    ],
  };
}

export async function createActivity(context: EndpointContext): Promise<object> {
  const { id: calendarId } = await requireCalendar(context);
  const { row: event } = await requireEvent(context, calendarId);
  const row = {
    id: createHexId(),
    event_id: event.id,
    user_id: context.userId,
    content: parseContent(context.body),
    created_at: context.now,
    updated_at: context.now,
  };
  await context.db.insertInto("activities").values(row).execute();
  return { data: activityResource(row) };
}

function parseContent(body: unknown): string {
  const { success, output, issues } = v.safeParse(activityBodySchema, body);
  if (!success) throw badRequest(listFieldErrors(collectFieldErrors(issues)));
  const { content } = output.data.attributes;
  const problem = unstorableText(content);
  if (problem !== null) throw badRequest({ content: [problem] });
  return content;
}
