import { sql } from "kysely";
import type { DayWindow } from "../day-window.js";
import { isChangedAlone } from "../occurrence.js";
import { compileForIds, compileOnce, type Placeholders, type Terms } from "./compiled-query.js";
import { eventsBeforeWindow, overlaps } from "./event-windows.js";
import type { EventRow } from "./schema.js";
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

const COLUMNS = ["id", "start_at", "bytes", "series_id", "recurrences", "all_day", "category"] as const;

type Visited = Pick<EventRow, (typeof COLUMNS)[number]>;

/** The first entries of a calendar in a window. Those that began before it are there too. */
export async function listFeedEntries(db: Transaction, query: FeedEntryQuery): Promise<FeedEntry[]> {
  const { calendarId, window, limit, wholeSeries, pause } = query;
  const entryOf = ({ id, start_at, bytes }: Pick<EventRow, "id" | "start_at" | "bytes">) => ({
    ...{ id, calendarId, bytes, start: start_at ?? 0 },
    isSeries: false,
  });
  const before = await eventsBeforeWindow(db, calendarId, window)
    .select(COLUMNS)
    .orderBy("start_at", "desc")
    .limit(limit)
    .execute();
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
  const rows = db
    .selectFrom("events")
    .select(COLUMNS)
    .where("calendar_id", "=", calendarId)
    .where("start_at", ">=", window.spanStart)
    .where("start_at", "<", window.spanEnd)
    .where(overlaps(window));
  const comparison = sql.raw(latestFirst ? "<" : ">");
  const after = last && sql<boolean>`(start_at, id) ${comparison} (${last.start_at}, ${last.id})`;
  return (after === undefined ? rows : rows.where(after))
    .orderBy("start_at", order)
    .orderBy("id", order)
    .limit(BATCH)
    .execute();
}

/** The series with an occurrence by their rule in the window, however many these are. */
async function listSeriesEntries(db: Transaction, query: FeedEntryQuery): Promise<FeedEntry[]> {
  const { calendarId, window, latestFirst } = query;
  const { spanStart: since, spanEnd: end } = window;
  const rows = await (latestFirst ? selectLastOfSeries : selectFirstOfSeries)(db, { calendarId, since, end });
  return rows.flatMap(({ id, start, bytes }) =>
    start === null ? [] : [{ id, calendarId, start: Number(start), bytes: Number(bytes), isSeries: true }],
  );
}

interface SeriesValues {
  readonly calendarId: string;
  readonly since: number;
  readonly end: number;
}

/** The index by series and slot finds one occurrence at once; those that follow their rule begin at their slot. */
const selectOccurrenceOfSeries = (order: "asc" | "desc") =>
  compileOnce((db, { calendarId, since, end }: Placeholders<SeriesValues>) =>
    db
      .selectFrom("series")
      .select((series) => {
        const occurrence = series
          .selectFrom("events")
          .whereRef("events.series_id", "=", "series.id")
          .where("events.recurrences", "!=", "")
          .where("slot", ">", sql<number>`cast(${since} as bigint) - series.length`)
          .where("slot", "<", end)
          .orderBy("slot", order)
          .limit(1);
        return ["series.id", occurrence.select("slot").as("start"), occurrence.select("bytes").as("bytes")];
      })
      .where("series.calendar_id", "=", calendarId),
  );

const selectFirstOfSeries = selectOccurrenceOfSeries("asc");
const selectLastOfSeries = selectOccurrenceOfSeries("desc");

/** The columns of events that a feed shows. */
export const listEventsOfFeed = compileForIds((db, ids) =>
  db
    .selectFrom("events")
    .select(["id", "calendar_id", "start_at", "bytes", "json", "creator_id", "label_number"])
    .where("id", "in", ids),
);

/** The occurrences of a series that were changed on their own, in order. */
export const listChangedOccurrences = compileOnce((db, { id }: Placeholders<{ readonly id: string }>) =>
  changedOccurrences(db, id).select(["id", "start_at", "bytes"]).orderBy("id"),
);

/** A query of them. The literal makes it one of their index. */
export function changedOccurrences(db: Transaction, seriesId: Terms<{ readonly id: string }>["id"]) {
  return db.selectFrom("events").where("series_id", "=", seriesId).where(sql<boolean>`recurrences = ''`);
}

/** Series, with the slot of the first occurrence that was not changed on its own. */
export const listSeriesOfFeed = compileForIds((db, ids) =>
  db
    .selectFrom("series")
    .selectAll()
    .select((series) =>
      series
        .selectFrom("events")
        .select("slot")
        .whereRef("events.series_id", "=", "series.id")
        .where("events.recurrences", "!=", "")
        .orderBy("slot")
        .limit(1)
        .as("first"),
    )
    .where("id", "in", ids),
);
