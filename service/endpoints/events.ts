import * as v from "valibot";
import { activityBodySchema, eventBodySchema } from "../../contract/bodies.js";
import { DAY_MS } from "../../contract/date-time.js";
import { badRequest } from "../http/response.js";
import { activityResource } from "../resources.js";
import { createHexId } from "../secrets.js";
import { listLabels, listMembers } from "../store/calendars.js";
import { deleteEvent } from "../store/changes.js";
import { isLong, sumEventSizes } from "../store/event-windows.js";
import { findEvent, insertEvent, listAttendees, replaceEvent, sizeOfEvent } from "../store/events.js";
import { advanceRevision } from "../store/revisions.js";
import type { ActivityRow, EventContent } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import { requireCalendar, type WriteContext, type WriteEndpoint, type WriteResult } from "./endpoint.js";
import {
  type AllowedReferences,
  collectFieldErrors,
  parseEventBody,
  textProblem,
  toFieldErrors,
} from "./event-body.js";
import { jsonDocument, requireEvent } from "./event-reads.js";
import { createOnce } from "./idempotency.js";

export const eventWrites = {
  createEvent,
  updateEvent,
  async deleteEvent(context) {
    const { id: calendar_id, revision } = await changeCalendar(context);
    const { id: event_id } = await requireEvent(context.db, calendar_id, context.parameter("event_id"));
    await deleteEvent(context.db, { calendar_id, revision, event_id, deleted_at: context.now });
    return { body: null };
  },
  createActivity,
} as const satisfies Readonly<Record<string, WriteEndpoint>>;

/**
 * The calendar of the path with the revision that this write gives it.
 * @throws ProblemError like `requireCalendar`
 */
async function changeCalendar({ db, access }: WriteContext) {
  const { id } = requireCalendar(access);
  return { id, revision: await advanceRevision(db, id) };
}

function createEvent(context: WriteContext): Promise<WriteResult> {
  const { db, access } = context;
  return createOnce(context, {
    operation: ["createEvent"],
    schema: eventBodySchema,
    create: () => createNewEvent(context),
    async find(id) {
      const event = await findEvent(db, requireCalendar(access).id, id);
      return event === undefined ? null : jsonDocument(event.json);
    },
  });
}

async function createNewEvent(context: WriteContext) {
  const { id: calendarId, revision } = await changeCalendar(context);
  const { content, attendeeIds } = parseEventBody(
    context.body,
    await listAllowedReferences(context.db, calendarId),
  );
  const row: EventContent = {
    ...content,
    id: createHexId(),
    calendar_id: calendarId,
    creator_id: context.access.user.id,
    created_at: context.now,
    updated_at: context.now,
  };
  const json = await insertEvent(context.db, { row, attendeeIds, revision });
  await checkWindowSizes(context.db, row);
  return { id: row.id, body: jsonDocument(json) };
}

async function updateEvent(context: WriteContext): Promise<WriteResult> {
  const { id: calendarId, revision } = await changeCalendar(context);
  const stored = await requireEvent(context.db, calendarId, context.parameter("event_id"));
  const storedAttendees = await listAttendees(context.db, stored.id);
  const { content, attendeeIds } = parseEventBody(context.body, {
    ...(await listAllowedReferences(context.db, calendarId)),
    stored: { url: stored.url, attendeeIds: new Set(storedAttendees) },
  });
  // Two updates in the same millisecond still get different times.
  const row = { ...stored, ...content, updated_at: Math.max(context.now, stored.updated_at + 1) };
  const json = await replaceEvent(context.db, stored, { row, attendeeIds, revision });
  // Where days are too large already, their events may still be shortened.
  const moved = row.start_at !== stored.start_at || row.end_at !== stored.end_at;
  const size = sizeOfEvent({ row: stored, attendeeIds: storedAttendees });
  if (moved || sizeOfEvent({ row, attendeeIds }) > size) await checkWindowSizes(context.db, row);
  return { body: jsonDocument(json) };
}

const MEBIBYTE = 1024 * 1024;

/**
 * How large the events of any seven days may become, of one creator and of all. Clients stop reading at some size, the
 * one here at 32 MiB; whoever could exceed it would keep the others from their calendar. Long events have limits of their
 * own, since they overlap many windows.
 */
const WINDOW_LIMITS = {
  usual: { own: 6 * MEBIBYTE, all: 18 * MEBIBYTE },
  long: { own: 2 * MEBIBYTE, all: 6 * MEBIBYTE },
} as const;

/** No two events of a window of seven days are further apart (ms): zones differ by up to 26 hours. */
const WINDOW_LENGTH = 9 * DAY_MS;

/**
 * Checks the windows that an event overlaps, after it was written: the error undoes that.
 * @throws ProblemError 400 when one may have become too large
 */
async function checkWindowSizes(db: Transaction, event: EventContent): Promise<void> {
  const { calendar_id: calendarId, creator_id: creatorId, start_at: start, end_at: end } = event;
  if (start === null || end === null) return;
  const long = isLong({ start, end });
  const span = { start: start - WINDOW_LENGTH, end: end + WINDOW_LENGTH };
  const { own, all } = await sumEventSizes(db, { calendarId, creatorId, ...span }, long);
  const limits = WINDOW_LIMITS[long ? "long" : "usual"];
  if (own <= limits.own && all <= limits.all) return;
  throw badRequest({
    start_at: ["the events of these days would become too large; choose others or shorten it"],
  });
}

async function listAllowedReferences(db: Transaction, id: string): Promise<AllowedReferences> {
  return {
    calendarId: id,
    labelNumbers: new Set((await listLabels(db, [id])).map(({ number }) => number)),
    userIds: new Set((await listMembers(db, [id])).map((member) => member.id)),
  };
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
      const row = await db.selectFrom("activities").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : activityDocument(row);
    },
  });
}

async function insertActivity(context: WriteContext): Promise<ActivityRow> {
  const { id: calendarId } = await changeCalendar(context);
  const { id: event_id } = await requireEvent(context.db, calendarId, context.parameter("event_id"));
  const row = {
    id: createHexId(),
    event_id,
    user_id: context.access.user.id,
    content: parseContent(context.body),
    created_at: context.now,
    updated_at: context.now,
  };
  await context.db.insertInto("activities").values(row).execute();
  return row;
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
