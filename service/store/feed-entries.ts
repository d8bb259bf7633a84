import type { DayWindow } from "../day-window.js";
import { isChangedAlone } from "../occurrence.js";
import { OVERLAPS, selectBeforeWindow, valuesBeforeWindow, valuesOfOverlaps } from "./event-windows.js";
import { SHOWN_COLUMNS, type ShownEvent, sizeInSql } from "./events.js";
import type { EventRow, SeriesRow } from "./schema.js";
import { SERIES } from "./series.js";
import { allWithIds } from "./sql.js";
import type { Transaction } from "./store.js";

/** An event with a row, or a series, that a feed may show, without its content. */
export interface FeedEntry {
  readonly id: string;
  readonly calendarId: string;
  /** Milliseconds since the epoch; of a series, the start of its first or last occurrence in the window. */
  readonly start: number;
  /** Its bytes in a response, or a few more. */
  readonly bytes: number;
  readonly isSeries: boolean;
}

/** Which events of its calendars a feed shows. */
interface FeedShows {
  /** Only events at a time of day, no keeps. */
  readonly busyOnly: boolean;
  /** Each series once, and the occurrences that were changed on their own; otherwise all occurrences. */
  readonly wholeSeries: boolean;
}

export interface FeedEntryQuery extends FeedShows {
  readonly calendarId: string;
  readonly window: DayWindow;
  /** Whether the latest events come first; otherwise the earliest. */
  readonly latestFirst: boolean;
  /** Entries at most. */
  readonly limit: number;
  /** Lets others run. */
  readonly pause: () => Promise<void>;
}

/** Rows that are visited at a time: in about a millisecond. */
const BATCH = 500;

/** An event with a row, and its size in a response (bytes). */
type Visited = Pick<EventRow, "id" | "start_at" | "series_id" | "recurrences" | "all_day" | "category"> & {
  readonly bytes: number;
};

function visitedColumns(db: Transaction): string {
  return `id, start_at, series_id, recurrences, all_day, category, ${sizeInSql(db)} as bytes`;
}

/** The first entries of a calendar in a window. Those that began before it are there too. */
export async function listFeedEntries(db: Transaction, query: FeedEntryQuery): Promise<FeedEntry[]> {
  const { calendarId, window, limit, wholeSeries, pause } = query;
  const entryOf = ({ id, start_at, bytes }: Visited) => ({
    ...{ id, calendarId, bytes, start: start_at ?? 0 },
    isSeries: false,
  });
  const before = await db.all<Visited>(
    `${selectBeforeWindow(visitedColumns(db))} order by start_at desc limit ?`,
    ...valuesBeforeWindow(calendarId, window),
    limit,
  );
  await pause();
  const entries = before.filter((row) => isShown(row, query)).map(entryOf);
  if (wholeSeries) entries.push(...(await listSeriesEntries(db, query)));
  await pause();
  for (let last: Visited | undefined; entries.length < before.length + limit; ) {
    const rows = await visitAfter(db, query, last);
    entries.push(...rows.filter((row) => isShown(row, query)).map(entryOf));
    last = rows.at(-1);
    if (rows.length < BATCH) break;
    await pause();
  }
  return entries;
}

function isShown(row: Visited, { busyOnly, wholeSeries }: FeedShows): boolean {
  if (busyOnly) return row.all_day === 0 && row.category === "schedule";
  return !wholeSeries || row.series_id === null || isChangedAlone(row);
}

/** The next events that begin in the window. */
function visitAfter(
  db: Transaction,
  { calendarId, window, latestFirst }: FeedEntryQuery,
  last: Visited | undefined,
): Promise<Visited[]> {
  const order = latestFirst ? "desc" : "asc";
  const isAfter = last === undefined ? "" : `and (start_at, id) ${latestFirst ? "<" : ">"} (?, ?)`;
  return db.all<Visited>(
    `select ${visitedColumns(db)} from events
    where calendar_id = ? and start_at >= ? and start_at < ? and ${OVERLAPS} ${isAfter}
    order by start_at ${order}, id ${order} limit ${BATCH}`,
    ...[calendarId, window.spanStart, window.spanEnd, ...valuesOfOverlaps(window)],
    ...(last === undefined ? [] : [last.start_at, last.id]),
  );
}

/** The series with an occurrence by their rule in the window, however many these are. */
async function listSeriesEntries(db: Transaction, query: FeedEntryQuery): Promise<FeedEntry[]> {
  const { calendarId, window, latestFirst } = query;
  // The index by series and slot finds one occurrence at once; those that follow their rule begin at their slot.
  const nearest = (column: string) => `(select ${column} from events
    where events.series_id = series.id and events.recurrences <> ''
      and slot > cast(? as bigint) - series.length and slot < ?
    order by slot ${latestFirst ? "desc" : "asc"} limit 1)`;
  const rows = await db.all<Pick<EventRow, "id" | "slot"> & { readonly bytes: number }>(
    `select id, ${nearest("slot")} as slot, ${nearest(sizeInSql(db))} as bytes from series where calendar_id = ?`,
    ...[window.spanStart, window.spanEnd, window.spanStart, window.spanEnd, calendarId],
  );
  return rows.flatMap(({ id, slot, bytes }) =>
    slot === null ? [] : [{ id, calendarId, start: slot, bytes, isSeries: true }],
  );
}

/** What a feed shows of events. */
export function listEventsOfFeed(db: Transaction, ids: Iterable<string>): Promise<ShownEvent[]> {
  return allWithIds(db, ids, (marks) => `select ${SHOWN_COLUMNS} from events where id in (${marks})`);
}

/** The occurrences of a series that were changed on their own, in order. */
export function listChangedOccurrences(
  db: Transaction,
  seriesId: string,
): Promise<(Pick<EventRow, "id" | "start_at"> & { readonly bytes: number })[]> {
  return db.all(
    // The literal makes it a query of their index.
    `select id, start_at, ${sizeInSql(db)} as bytes from events
    where series_id = ? and recurrences = '' order by id`,
    seriesId,
  );
}

/** Series, with the slot of the first occurrence that was not changed on its own. */
export function listSeriesOfFeed(
  db: Transaction,
  ids: Iterable<string>,
): Promise<(SeriesRow & { readonly first: number | null })[]> {
  return allWithIds(
    db,
    ids,
    (marks) => `
      select ${SERIES}, (select slot from events
        where events.series_id = series.id and events.recurrences <> '' order by slot limit 1) as first
      from series where id in (${marks})`,
  );
}
