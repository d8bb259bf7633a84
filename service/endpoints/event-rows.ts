import { DAY_MS } from "../../contract/date-time.js";
import { badRequest } from "../http/response.js";
import { HORIZON, isStored } from "../occurrence.js";
import { listLabels, listMembers } from "../store/calendars.js";
import { isLong, sumEventSizes } from "../store/event-windows.js";
import {
  type EventWithAttendees,
  insertEvent,
  listAttendees,
  replaceEvent,
  sizeOfEvent,
} from "../store/events.js";
import { advanceRevision } from "../store/revisions.js";
import type { EventContent, EventRow } from "../store/schema.js";
import { listSeriesMadeUntil } from "../store/series.js";
import type { Transaction } from "../store/store.js";
import { requireCalendar, type WriteContext } from "./endpoint.js";
import type { AllowedReferences } from "./event-body.js";

/** What every write of events needs. */

/**
 * The calendar of the path with the revision that this write gives it. Its series are continued, if they were not for a day.
 * @throws ProblemError like `requireCalendar`
 */
export async function changeCalendar({ db, access, now }: WriteContext) {
  const { id } = requireCalendar(access);
  const revision = await advanceRevision(db, id);
  await continueDueSeries(db, id, now);
  return { id, revision };
}

/** Series are continued that were made until a time before this one, so that each is once a day. */
export function dueBefore(now: number): number {
  return now + HORIZON - DAY_MS;
}

/** Makes the occurrences of a calendar that have come before the horizon, if that was not done for a day. */
export async function continueDueSeries(db: Transaction, calendarId: string, now: number): Promise<void> {
  const due = await listSeriesMadeUntil(db, { calendarId, time: dueBefore(now) });
  if (due.length > 0) await (await import("./series-horizon.js")).continueSeries(db, due, now);
}

export async function listAllowedReferences(db: Transaction, id: string): Promise<AllowedReferences> {
  return {
    calendarId: id,
    labelNumbers: new Set((await listLabels(db, [id])).map(({ number }) => number)),
    userIds: new Set((await listMembers(db, [id])).map((member) => member.id)),
  };
}

/** Replaces an event, or inserts it if it is an occurrence that was no row. @returns its JSON @throws ProblemError 400 */
export async function writeEvent(
  db: Transaction,
  stored: EventRow,
  { row, attendeeIds, revision }: EventWithAttendees & { readonly revision: number },
): Promise<string> {
  const storedAttendees = await listAttendees(db, stored.id);
  const json = isStored(stored)
    ? await replaceEvent(db, stored, { row, attendeeIds, revision })
    : await insertEvent(db, { row, attendeeIds, revision });
  // Where days are too large already, their events may still be shortened.
  const moved = row.start_at !== stored.start_at || row.end_at !== stored.end_at || !isStored(stored);
  const size = sizeOfEvent({ row: stored, attendeeIds: storedAttendees });
  if (moved || sizeOfEvent({ row, attendeeIds }) > size) await checkWindowSizes(db, row);
  return json;
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
export async function checkWindowSizes(db: Transaction, event: EventContent): Promise<void> {
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
