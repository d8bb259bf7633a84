import { inSlices, yieldToEventLoop } from "../../src/system/clock.js";
import { compileForIds, compileOnce, type Placeholders } from "./compiled-query.js";
import { deleteComments, deleteEvents, forgetDeletionsOf, listCommentIds } from "./deletions.js";
import { type EventWithAttendees, insertEvent } from "./events.js";
import { advanceRevision } from "./revisions.js";
import type { EventRow, SeriesRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** A series of a calendar; undefined if the calendar has no such series. */
export function findSeries(
  db: Transaction,
  calendarId: string,
  seriesId: string,
): Promise<SeriesRow | undefined> {
  return db
    .selectFrom("series")
    .selectAll()
    .where("id", "=", seriesId)
    .where("calendar_id", "=", calendarId)
    .executeTakeFirst();
}

/** Rows that are read before other requests get their turn: a few milliseconds. */
const BATCH = 200;

/** The occurrences of a series that are rows, by their slots. */
export async function listOccurrences(db: Transaction, seriesId: string): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (;;) {
    const query = db.selectFrom("events").selectAll().where("series_id", "=", seriesId);
    const last = rows.at(-1)?.slot ?? null;
    const next = last === null ? query : query.where("slot", ">", last);
    const batch = await next.orderBy("slot").limit(BATCH).execute();
    rows.push(...batch);
    if (batch.length < BATCH) return rows;
    await yieldToEventLoop();
  }
}

/** The first occurrence of a series that is a row, if possible one that was not changed on its own. */
export function findFirstOccurrence(db: Transaction, seriesId: string): Promise<EventRow | undefined> {
  return db
    .selectFrom("events")
    .selectAll()
    .where("series_id", "=", seriesId)
    .orderBy((row) => row.case().when("recurrences", "=", "").then(1).else(0).end())
    .orderBy("slot")
    .limit(1)
    .executeTakeFirst();
}

/** Writes a series, whether or not it exists. */
export async function storeSeries(db: Transaction, series: SeriesRow): Promise<void> {
  await db
    .insertInto("series")
    .values(series)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(series))
    .execute();
}

/** Deletes a series that has no occurrences any more. */
export async function deleteSeries(db: Transaction, seriesId: string): Promise<void> {
  await db.deleteFrom("series").where("id", "=", seriesId).execute();
}

/** How many series a calendar has. */
export async function countSeries(db: Transaction, calendarId: string): Promise<number> {
  const query = db.selectFrom("series").select(({ fn }) => fn.countAll().as("count"));
  return Number((await query.where("calendar_id", "=", calendarId).executeTakeFirst())?.count);
}

/** Ids of occurrences with a row beyond `made_until` of their series, such as those with comments. */
export async function listIdsBeyond(db: Transaction, calendarId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("series")
    .innerJoin("events", "events.series_id", "series.id")
    .select("events.id")
    .where("series.calendar_id", "=", calendarId)
    .whereRef("events.slot", ">=", "series.made_until")
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Series of a calendar whose occurrences do not all have rows until a time, the furthest behind first. */
export const listDueSeries = compileOnce(
  (
    db,
    {
      calendarId,
      time,
      count,
    }: Placeholders<Record<"time" | "count", number> & { readonly calendarId: string }>,
  ) =>
    db
      .selectFrom("series")
      .selectAll()
      .where("calendar_id", "=", calendarId)
      .where("made_until", "<", time)
      .orderBy("made_until")
      .orderBy("id")
      .limit(count),
);

/** Ids of the calendars with such series as `listDueSeries` finds. */
export async function listDueCalendars(db: Transaction, time: number): Promise<readonly string[]> {
  const query = db.selectFrom("series").select("calendar_id").distinct().where("made_until", "<", time);
  return (await query.orderBy("calendar_id").execute()).map(({ calendar_id }) => calendar_id);
}

/** What a write to a series makes of its events. */
export interface OccurrenceChanges {
  readonly calendarId: string;
  /** Ids. */
  readonly removed: readonly string[];
  readonly added: readonly EventWithAttendees[];
  /** Removed id -> the added one that its comments go to; those of others are deleted. */
  readonly successors: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Replaces events, each with a revision of its own. An id that is removed and added is changed. */
export async function replaceOccurrences(db: Transaction, changes: OccurrenceChanges): Promise<void> {
  const { calendarId, removed, added, successors, now } = changes;
  const ids = new Set(added.map(({ row }) => row.id));
  const gone = removed.filter((id) => !ids.has(id));
  const count = gone.length + added.length;
  if (count === 0) return;
  let revision = (await advanceRevision(db, calendarId, count)) - count;
  const next = () => {
    revision += 1;
    return revision;
  };
  const commentIds = await listCommentIds(db, removed);
  const comments = (await selectComments(db, commentIds)).flatMap((comment) => {
    const event_id = successors.get(comment.event_id);
    return event_id === undefined || !ids.has(event_id) ? [] : { ...comment, event_id };
  });
  const deleted = gone.map((event_id) => ({
    calendar_id: calendarId,
    revision: next(),
    event_id,
    deleted_at: now,
  }));
  await deleteComments(db, commentIds);
  for await (const id of inSlices(removed.filter((one) => ids.has(one)))) await removeEvent(db, { id });
  await deleteEvents(db, deleted);
  await forgetDeletionsOf(db, ids);
  for await (const event of inSlices(added)) await insertEvent(db, { ...event, revision: next() });
  for await (const comment of inSlices(comments)) await db.insertInto("activities").values(comment).execute();
}

const selectComments = compileForIds((db, ids) =>
  db.selectFrom("activities").selectAll().where("id", "in", ids),
);

const removeEvent = compileOnce((db, { id }: Placeholders<{ readonly id: string }>) =>
  db.deleteFrom("events").where("id", "=", id),
);
