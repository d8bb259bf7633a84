import * as v from "valibot";
import { activityBodySchema, eventBodySchema } from "../../contract/bodies.js";
import { badRequest, ProblemError } from "../http/response.js";
import { isSeries, isStored, SINGLE } from "../occurrence.js";
import { activityResource, eventDocument } from "../resources.js";
import { createHexId } from "../secrets.js";
import { deleteEvents } from "../store/deletions.js";
import { insertEvent } from "../store/events.js";
import { advanceRevision } from "../store/revisions.js";
import type { ActivityRow, EventContent, EventRow } from "../store/schema.js";
import { insert } from "../store/sql.js";
import { requireCalendar, type WriteContext, type WriteEndpoint, type WriteResult } from "./endpoint.js";
import { collectFieldErrors, parseEventBody, textProblem, toFieldErrors } from "./event-body.js";
import { findAnyEvent, listAttendeesOf, requireEvent } from "./event-reads.js";
import { changeCalendar, listAllowedReferences, writeEvent } from "./event-rows.js";
import { createOnce } from "./idempotency.js";
import { checkWindowSizes } from "./window-sizes.js";

export const eventWrites = {
  createEvent,
  updateEvent,
  deleteEvent,
  createActivity,
} as const satisfies Readonly<Record<string, WriteEndpoint>>;

function createEvent(context: WriteContext): Promise<WriteResult> {
  const { db, access } = context;
  return createOnce(context, {
    operation: ["createEvent"],
    schema: eventBodySchema,
    create: () => createNewEvent(context),
    async find(id) {
      const event = await findAnyEvent(db, requireCalendar(access).id, id);
      return event === undefined ? null : eventDocument(event, await listAttendeesOf(db, event));
    },
  });
}

async function createNewEvent(context: WriteContext) {
  const { id: calendarId, revision } = await changeCalendar(context);
  const { content, attendeeIds, recurrences } = parseEventBody(
    context.body,
    await listAllowedReferences(context.db, calendarId),
  );
  const id = createHexId();
  const origin = {
    calendar_id: calendarId,
    creator_id: context.access.user.id,
    created_at: context.now,
    updated_at: context.now,
  };
  if (recurrences !== null && recurrences.length > 0) {
    const { createSeries } = await loadSeriesWrites();
    return createSeries(context, { content, attendeeIds, recurrences, origin: { id, ...origin } });
  }
  const row: EventContent = { id, ...origin, ...content, ...SINGLE };
  await insertEvent(context.db, { row, attendeeIds, revision });
  await checkWindowSizes(context.db, row);
  return { id, body: eventDocument(row, attendeeIds) };
}

async function updateEvent(context: WriteContext): Promise<WriteResult> {
  const { db, body, now, query } = context;
  const { id: calendarId, revision } = await changeCalendar(context);
  const stored = await requireEvent(db, calendarId, context.parameter("event_id"));
  const attendees = await listAttendeesOf(db, stored);
  const { content, attendeeIds, recurrences } = parseEventBody(body, {
    ...(await listAllowedReferences(db, calendarId)),
    stored: { url: stored.url, attendeeIds: new Set(attendees) },
  });
  const becomesSeries = recurrences !== null && recurrences.length > 0;
  if (stored.series_id !== null || query.scope !== null || becomesSeries) {
    const { updateRepeating } = await loadSeriesWrites();
    return updateRepeating(context, stored, { content, attendeeIds, recurrences, revision });
  }
  // Two updates in the same millisecond still get different times.
  const row = { ...stored, ...content, updated_at: Math.max(now, stored.updated_at + 1) };
  await writeEvent(db, stored, { row, attendeeIds, revision });
  return { body: eventDocument(row, attendeeIds) };
}

async function deleteEvent(context: WriteContext): Promise<WriteResult> {
  const { db, now, query } = context;
  const { id: calendar_id, revision } = await changeCalendar(context);
  const stored = await requireEvent(db, calendar_id, context.parameter("event_id"));
  if (stored.series_id !== null || query.scope !== null) {
    await (await loadSeriesWrites()).deleteRepeating(context, stored, revision);
  } else {
    await deleteEvents(db, [{ calendar_id, revision, event_id: stored.id, deleted_at: now }]);
  }
  return { body: null };
}

function loadSeriesWrites() {
  return import("./series-writes.js");
}

function createActivity(context: WriteContext): Promise<WriteResult> {
  const { db, parameter } = context;
  return createOnce(context, {
    operation: ["createActivity", parameter("event_id")],
    schema: activityBodySchema,
    async create() {
      const row = await insertActivity(context);
      return { id: row.id, body: activityDocument(row) };
    },
    async find(id) {
      const [row] = await db.all<ActivityRow>(
        "select id, event_id, user_id, content, created_at, updated_at from activities where id = ?",
        id,
      );
      return row === undefined ? null : activityDocument(row);
    },
  });
}

async function insertActivity(context: WriteContext): Promise<ActivityRow> {
  const { id: calendarId } = await changeCalendar(context);
  const { id: event_id } = await requireCommented(context, calendarId);
  const row = {
    id: createHexId(),
    event_id,
    user_id: context.access.user.id,
    content: parseContent(context.body),
    created_at: context.now,
    updated_at: context.now,
  };
  await insert(context.db, "activities", [row]);
  return row;
}

/** The event of the path as a row; of a series its first occurrence. @throws ProblemError 404 */
async function requireCommented({ db, parameter }: WriteContext, calendarId: string): Promise<EventRow> {
  const named = await requireEvent(db, calendarId, parameter("event_id"));
  const event = isSeries(named)
    ? await (await import("./series-reads.js")).findFirstOf(db, calendarId, named.id)
    : named;
  if (event === undefined) throw new ProblemError(404);
  if (isStored(event)) return event;
  const attendeeIds = await listAttendeesOf(db, event);
  await insertEvent(db, { row: event, attendeeIds, revision: await advanceRevision(db, calendarId) });
  return event;
}

function activityDocument(row: ActivityRow): object {
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
