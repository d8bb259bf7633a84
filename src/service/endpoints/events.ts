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
import { type Call, requireCalendar } from "./endpoint.js";
import {
  collectFieldErrors,
  type EventReferences,
  listFieldErrors,
  parseEventBody,
  unstorableText,
} from "./event-body.js";

export async function getEvent(call: Call): Promise<object> {
  const { id: calendarId } = await requireCalendar(call);
  const event = await requireEvent(call, calendarId);
  return { data: eventResource(event.row, event.attendeeIds), ...(await include(call, calendarId, [event])) };
}

export async function listUpcomingEvents(call: Call): Promise<object> {
  const { id: calendarId } = await requireCalendar(call);
  const window = dayWindow(call.now, call.query);
  const rows = await listEventsWithin(call.db, calendarId, window);
  const attendees = new Map<string, string[]>(rows.map(({ id }) => [id, []]));
  for (const { event_id, user_id } of await listAttendeesWithin(call.db, calendarId, window)) {
    attendees.get(event_id)?.push(user_id);
  }
  const events = rows.map((row) => ({ row, attendeeIds: attendees.get(row.id) ?? [] }));
  return {
    data: events.map(({ row, attendeeIds }) => eventResource(row, attendeeIds)),
    ...(await include(call, calendarId, events)),
  };
}

export async function createEvent(call: Call): Promise<object> {
  const { id: calendarId } = await requireCalendar(call);
  const { content, attendeeIds } = parseEventBody(call.body, await references(call, calendarId));
  const row: EventRow = {
    ...content,
    id: createHexId(),
    calendar_id: calendarId,
    creator_id: call.userId,
    created_at: call.now,
    updated_at: call.now,
  };
  await insertEvent(call.db, { row, attendeeIds });
  return { data: eventResource(row, attendeeIds) };
}

export async function updateEvent(call: Call): Promise<object> {
  const { id: calendarId } = await requireCalendar(call);
  const known = await requireEvent(call, calendarId);
  const allowed = await references(call, calendarId);
  // Who attends may stay although no member any more, or nobody could change such an event.
  const userIds = new Set([...allowed.userIds, ...known.attendeeIds]);
  const { content, attendeeIds } = parseEventBody(call.body, { ...allowed, userIds });
  // Two changes within one millisecond must be told apart too.
  const row = { ...known.row, ...content, updated_at: Math.max(call.now, known.row.updated_at + 1) };
  await replaceEvent(call.db, { row, attendeeIds });
  return { data: eventResource(row, attendeeIds) };
}

export async function deleteEvent(call: Call): Promise<null> {
  const { id: calendarId } = await requireCalendar(call);
  const { row } = await requireEvent(call, calendarId);
  await call.db.deleteFrom("events").where("id", "=", row.id).execute();
  return null;
}

/** The event of the path. @throws ProblemError 404 when the calendar has none of this id */
export async function requireEvent({ db, parameter }: Call, calendarId: string): Promise<WholeEvent> {
  const row = await findEvent(db, calendarId, parameter("event_id"));
  if (row === undefined) throw new ProblemError(404);
  return { row, attendeeIds: (await listAttendees(db, row.id)).map(({ user_id }) => user_id) };
}

async function references({ db }: Call, calendarId: string): Promise<EventReferences> {
  return {
    calendarId,
    labelNumbers: new Set((await listLabels(db, [calendarId])).map(({ number }) => number)),
    userIds: new Set((await listMembers(db, [calendarId])).map(({ id }) => id)),
  };
}

/** The related objects that were asked for, each once. Who left the calendar is still told by name. */
async function include(
  { db, query }: Call,
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

export async function createActivity(call: Call): Promise<object> {
  const { id: calendarId } = await requireCalendar(call);
  const { row: event } = await requireEvent(call, calendarId);
  const row = {
    id: createHexId(),
    event_id: event.id,
    user_id: call.userId,
    content: parseContent(call.body),
    created_at: call.now,
    updated_at: call.now,
  };
  await call.db.insertInto("activities").values(row).execute();
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
