import * as v from "valibot";
import { activityBodySchema } from "../../contract/bodies.js";
import { DAY_MS } from "../../contract/date-time.js";
import { badRequest, ProblemError } from "../http/response.js";
import { activityResource, eventResource, labelResource, memberResource } from "../resources.js";
import { createHexId } from "../secrets.js";
import { listLabels, listMembers } from "../store/calendars.js";
import {
  dayWindow,
  isLong,
  listAttendeesInWindow,
  listEventsInWindow,
  sumEventSizes,
} from "../store/event-windows.js";
import {
  type EventWithAttendees,
  findEvent,
  insertEvent,
  listAttendees,
  replaceEvent,
  sizeOfEvent,
} from "../store/events.js";
import { advanceRevision, deleteEvent } from "../store/revisions.js";
import type { AttendeeRow, CalendarRow, EventContent, EventRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import { listUsers } from "../store/users.js";
import { type Endpoint, type EndpointContext, requireCalendar } from "./calendars.js";
import {
  collectFieldErrors,
  type EventReferences,
  parseEventBody,
  textProblem,
  toFieldErrors,
} from "./event-body.js";

export const eventEndpoints = {
  async getEvent(context) {
    const { id: calendarId } = await requireCalendar(context);
    const event = await requireEvent(context, calendarId);
    const included = await loadIncluded(context, calendarId, [event]);
    return { data: eventResource(event.row, event.attendeeIds), ...included };
  },
  listUpcomingEvents,
  createEvent,
  updateEvent,
  async deleteEvent(context) {
    const { id: calendar_id, revision } = await changeCalendar(context);
    const { row } = await requireEvent(context, calendar_id);
    const deleted = { calendar_id, revision, event_id: row.id, deleted_at: context.now };
    await deleteEvent(context.db, deleted);
    return null;
  },
  createActivity,
} as const satisfies Readonly<Record<string, Endpoint>>;

async function listUpcomingEvents(context: EndpointContext): Promise<object> {
  const { id: calendarId } = await requireCalendar(context);
  const window = dayWindow(context.now, context.query);
  const rows = await listEventsInWindow(context.db, calendarId, window);
  return describeEvents(context, rows, await listAttendeesInWindow(context.db, calendarId, window));
}

/** Events with the objects of `include`. @param attendees those of the events, in order */
export async function describeEvents(
  context: EndpointContext,
  rows: readonly EventRow[],
  attendees: readonly AttendeeRow[],
) {
  const userIds = new Map<string, string[]>(rows.map(({ id }) => [id, []]));
  for (const { event_id, user_id } of attendees) userIds.get(event_id)?.push(user_id);
  const events = rows.map((row) => ({ row, attendeeIds: userIds.get(row.id) ?? [] }));
  return {
    data: events.map(({ row, attendeeIds }) => eventResource(row, attendeeIds)),
    ...(await loadIncluded(context, context.parameter("calendar_id"), events)),
  };
}

/**
 * The calendar of the path with the revision that this write gives it.
 * @throws ProblemError like `requireCalendar`
 */
async function changeCalendar(context: EndpointContext): Promise<CalendarRow> {
  const calendar = await requireCalendar(context);
  return { ...calendar, revision: await advanceRevision(context.db, calendar.id) };
}

async function createEvent(context: EndpointContext): Promise<object> {
  const { id: calendarId, revision } = await changeCalendar(context);
  const { content, attendeeIds } = parseEventBody(context.body, await listReferences(context, calendarId));
  const row: EventContent = {
    ...content,
    id: createHexId(),
    calendar_id: calendarId,
    creator_id: context.userId,
    created_at: context.now,
    updated_at: context.now,
  };
  await insertEvent(context.db, { row, attendeeIds, revision });
  await checkAnswerSize(context.db, row);
  return { data: eventResource(row, attendeeIds) };
}

async function updateEvent(context: EndpointContext): Promise<object> {
  const { id: calendarId, revision } = await changeCalendar(context);
  const stored = await requireEvent(context, calendarId);
  const { content, attendeeIds } = parseEventBody(context.body, {
    ...(await listReferences(context, calendarId)),
    stored: { url: stored.row.url, attendeeIds: new Set(stored.attendeeIds) },
  });
  // Two updates in the same millisecond still get different times.
  const row = { ...stored.row, ...content, updated_at: Math.max(context.now, stored.row.updated_at + 1) };
  await replaceEvent(context.db, stored.row, { row, attendeeIds, revision });
  // What is too large already may be shortened.
  const moved = row.start_at !== stored.row.start_at || row.end_at !== stored.row.end_at;
  if (moved || sizeOfEvent({ row, attendeeIds }) > sizeOfEvent(stored))
    await checkAnswerSize(context.db, row);
  return { data: eventResource(row, attendeeIds) };
}

const MEBIBYTE = 1024 * 1024;

/**
 * How large the events of any seven days may become, of one creator and of all. Clients stop reading at some size, the
 * one here at 32 MiB; whoever could exceed it would keep the others from their calendar. Long events have limits of their
 * own, since they overlap many windows.
 */
const ANSWER_LIMITS = {
  usual: { own: 6 * MEBIBYTE, all: 18 * MEBIBYTE },
  long: { own: 2 * MEBIBYTE, all: 6 * MEBIBYTE },
} as const;

/** No two events of a window of seven days are further apart (ms): zones differ by up to 26 hours. */
const WINDOW_LENGTH = 9 * DAY_MS;

/**
 * Checks the windows that an event overlaps, after it was written: the error undoes that.
 * @throws ProblemError 400 when one may have become too large
 */
async function checkAnswerSize(db: Transaction, event: EventContent): Promise<void> {
  const { calendar_id: calendarId, creator_id: creatorId, start_at: start, end_at: end } = event;
  if (start === null || end === null) return;
  const long = isLong({ start, end });
  const span = { start: start - WINDOW_LENGTH, end: end + WINDOW_LENGTH };
  const { own, all } = await sumEventSizes(db, { calendarId, creatorId, span }, long);
  const limits = ANSWER_LIMITS[long ? "long" : "usual"];
  if (own <= limits.own && all <= limits.all) return;
  throw badRequest({
    start_at: ["the events of these days would become too large; choose others or shorten it"],
  });
}

/** The event of the path. @throws ProblemError 404 when the calendar has no such event */
export async function requireEvent(
  { db, parameter }: EndpointContext,
  calendarId: string,
): Promise<EventWithAttendees & { readonly row: EventRow }> {
  const row = await findEvent(db, calendarId, parameter("event_id"));
  if (row === undefined) throw new ProblemError(404);
  return { row, attendeeIds: (await listAttendees(db, row.id)).map(({ user_id }) => user_id) };
}

async function listReferences({ db }: EndpointContext, calendarId: string): Promise<EventReferences> {
  return {
    calendarId,
    labelNumbers: new Set((await listLabels(db, { id: calendarId })).map(({ number }) => number)),
    userIds: new Set((await listMembers(db, { id: calendarId })).map(({ id }) => id)),
  };
}

/** The related objects of the `include` parameter, each once. Users who left the calendar are included too. */
async function loadIncluded(
  { db, query }: EndpointContext,
  calendarId: string,
  events: readonly EventWithAttendees[],
): Promise<{ included?: object[] }> {
  if (query.include.size === 0) return {};
  const userIds = new Set([
    ...(query.include.has("creator") ? events.map(({ row }) => row.creator_id) : []),
    ...(query.include.has("attendees") ? events.flatMap(({ attendeeIds }) => attendeeIds) : []),
  ]);
  const labelNumbers = new Set(query.include.has("label") ? events.map(({ row }) => row.label_number) : []);
  const users = await listUsers(db, [...userIds]);
  const labels = labelNumbers.size === 0 ? [] : await listLabels(db, { id: calendarId });
  return {
    included: [
      ...users.map((user) => memberResource(calendarId, user)),
      ...labels.filter(({ number }) => labelNumbers.has(number)).map(labelResource),
    ],
  };
}

async function createActivity(context: EndpointContext): Promise<object> {
  const { id: calendarId } = await changeCalendar(context);
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
  if (!success) throw badRequest(toFieldErrors(collectFieldErrors(issues)));
  const { content } = output.data.attributes;
  const problem = textProblem(content);
  if (problem !== null) throw badRequest({ content: [problem] });
  return content;
}
