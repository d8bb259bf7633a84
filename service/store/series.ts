import { inSlices, yieldToEventLoop } from "../../src/system/clock.js";
import { deleteComments, deleteEvents, forgetDeletionsOf, listCommentIds } from "./deletions.js";
import { EVENT_COLUMNS, type EventWithAttendees, insertEvent } from "./events.js";
import { advanceRevision } from "./revisions.js";
import type { ActivityRow, EventRow, SeriesRow } from "./schema.js";
import { allWithIds, insert, marks } from "./sql.js";
import type { Transaction } from "./store.js";

const SERIES_COLUMNS = [
  ...(["id", "calendar_id", "category", "title", "all_day", "description", "location", "url"] as const),
  ...(["label_number", "creator_id", "created_at", "updated_at", "recurrences", "start_clock"] as const),
  ...(["length", "start_timezone", "end_timezone", "attendees", "modified_at", "made_until"] as const),
] as const;

/** The columns of a series. */
export const SERIES = SERIES_COLUMNS.join(", ");

/** A series of a calendar; undefined if the calendar has no such series. */
export async function findSeries(
  db: Transaction,
  calendarId: string,
  seriesId: string,
): Promise<SeriesRow | undefined> {
  const [series] = await db.all<SeriesRow>(
    `select ${SERIES} from series where id = ? and calendar_id = ?`,
    seriesId,
    calendarId,
  );
  return series;
}

/** Rows that are read before other requests get their turn: a few milliseconds. */
const BATCH = 200;

/** The occurrences of a series that are rows, by their slots. */
export async function listOccurrences(db: Transaction, seriesId: string): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (;;) {
    const batch = await db.all<EventRow>(
      `select ${EVENT_COLUMNS} from events where series_id = ? and slot > ? order by slot limit ${BATCH}`,
      seriesId,
      rows.at(-1)?.slot ?? Number.MIN_SAFE_INTEGER,
    );
    rows.push(...batch);
    if (batch.length < BATCH) return rows;
    await yieldToEventLoop();
  }
}

/** The first occurrence of a series that is a row, if possible one that was not changed on its own. */
export async function findFirstOccurrence(db: Transaction, seriesId: string): Promise<EventRow | undefined> {
  const [first] = await db.all<EventRow>(
    `select ${EVENT_COLUMNS} from events where series_id = ?
    order by case when recurrences = '' then 1 else 0 end, slot limit 1`,
    seriesId,
  );
  return first;
}

const STORE_SERIES = `insert into series (${SERIES}) values (${marks(SERIES_COLUMNS.length)})
  on conflict (id) do update set ${SERIES_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`;

/** Writes a series, whether or not it exists. */
export async function storeSeries(db: Transaction, series: SeriesRow): Promise<void> {
  await db.run(STORE_SERIES, ...SERIES_COLUMNS.map((name) => series[name]));
}

/** Deletes a series that has no occurrences any more. */
export async function deleteSeries(db: Transaction, seriesId: string): Promise<void> {
  await db.run("delete from series where id = ?", seriesId);
}

/** How many series a calendar has. */
export async function countSeries(db: Transaction, calendarId: string): Promise<number> {
  const [row] = await db.all<{ readonly count: number }>(
    "select count(*) as count from series where calendar_id = ?",
    calendarId,
  );
  return row?.count ?? 0;
}

/** Ids of occurrences with a row beyond `made_until` of their series, such as those with comments. */
export async function listIdsBeyond(db: Transaction, calendarId: string): Promise<ReadonlySet<string>> {
  const rows = await db.all<Pick<EventRow, "id">>(
    `select events.id from series join events on events.series_id = series.id
    where series.calendar_id = ? and events.slot >= series.made_until`,
    calendarId,
  );
  return new Set(rows.map(({ id }) => id));
}

export interface DueSeriesQuery {
  readonly calendarId: string;
  readonly time: number;
  /** How many at most. */
  readonly count: number;
}

/** Ids of series of a calendar whose occurrences do not all have rows until a time, the furthest behind first. */
export async function listDueSeries(
  db: Transaction,
  { calendarId, time, count }: DueSeriesQuery,
): Promise<readonly string[]> {
  const rows = await db.all<Pick<SeriesRow, "id">>(
    `select id from series where calendar_id = ? and made_until < ? order by made_until, id limit ${count}`,
    calendarId,
    time,
  );
  return rows.map(({ id }) => id);
}

/** Ids of the calendars with such series as `listDueSeries` finds. */
export async function listDueCalendars(db: Transaction, time: number): Promise<readonly string[]> {
  const rows = await db.all<Pick<SeriesRow, "calendar_id">>(
    "select distinct calendar_id from series where made_until < ? order by calendar_id",
    time,
  );
  return rows.map(({ calendar_id }) => calendar_id);
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
  const stored = await allWithIds<ActivityRow>(
    db,
    commentIds,
    (some) =>
      `select id, event_id, user_id, content, created_at, updated_at from activities where id in (${some})`,
  );
  const comments = stored.flatMap((comment) => {
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
  for await (const id of inSlices(removed.filter((one) => ids.has(one))))
    await db.run("delete from events where id = ?", id);
  await deleteEvents(db, deleted);
  await forgetDeletionsOf(db, ids);
  for await (const event of inSlices(added)) await insertEvent(db, { ...event, revision: next() });
  for await (const comment of inSlices(comments)) await insert(db, "activities", [comment]);
}
