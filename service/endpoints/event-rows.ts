import { isStored } from "../occurrence.js";
import { listLabels, listMembers } from "../store/calendars.js";
import {
  type EventWithAttendees,
  insertEvent,
  listAttendees,
  replaceEvent,
  sizeOfEvent,
} from "../store/events.js";
import { advanceRevision } from "../store/revisions.js";
import type { EventRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import { continueDueSeries } from "./due-series.js";
import { requireCalendar, type WriteContext } from "./endpoint.js";
import type { AllowedReferences } from "./event-body.js";
import { checkWindowSizes } from "./window-sizes.js";

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

export async function listAllowedReferences(db: Transaction, id: string): Promise<AllowedReferences> {
  return {
    calendarId: id,
    labelNumbers: new Set((await listLabels(db, [id])).map(({ number }) => number)),
    userIds: new Set((await listMembers(db, [id])).map((member) => member.id)),
  };
}

/** Replaces an event, or inserts it if it is an occurrence that was no row. @throws ProblemError 400 */
export async function writeEvent(
  db: Transaction,
  stored: EventRow,
  { row, attendeeIds, revision }: EventWithAttendees & { readonly revision: number },
): Promise<void> {
  const storedAttendees = await listAttendees(db, stored.id);
  if (isStored(stored)) await replaceEvent(db, stored, { row, attendeeIds, revision });
  else await insertEvent(db, { row, attendeeIds, revision });
  // Where days are too large already, their events may still be shortened.
  const moved = row.start_at !== stored.start_at || row.end_at !== stored.end_at || !isStored(stored);
  const size = sizeOfEvent(stored, storedAttendees);
  if (moved || sizeOfEvent(row, attendeeIds) > size) await checkWindowSizes(db, row);
}
