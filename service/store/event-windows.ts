import { sql } from "kysely";
import { DAY_MS } from "../../contract/date-time.js";
import type { DayWindow, TimeSpan } from "../day-window.js";
import { compileForIds, compileOnce, type Placeholders, type Terms } from "./compiled-query.js";
import type { EventRow, SeriesRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** An event of a window, with what it refers to. */
export type EventInWindow = Pick<EventRow, "id" | "creator_id" | "label_number" | "json" | "start_at">;

/** The events of a calendar that overlap a window, ordered by start. Keeps without times overlap none. */
export function listEventsInWindow(
  db: Transaction,
  calendarId: string,
  window: DayWindow,
): Promise<EventInWindow[]> {
  return selectEventsInWindow(db, { calendarId, ...window });
}

const selectEventsInWindow = compileOnce((db, values: Placeholders<WindowValues>) =>
  eventsInWindow(db, values)
    .select(["events.id", "creator_id", "label_number", "json", "start_at"])
    .orderBy("start_at")
    .orderBy("events.id"),
);

/** What a query of the events of a window depends on. */
interface WindowValues extends DayWindow {
  readonly calendarId: string;
}

/** A query of the events of a window, without columns and order. */
export function eventsInWindow(db: Transaction, values: Terms<WindowValues>) {
  const { calendarId, spanStart, spanEnd } = values;
  // The index finds a superset.
  const around = { calendarId, start: spanStart, end: spanEnd };
  return eventsAround(db, around, LENGTH_CLASSES).where(overlaps(values));
}

/** A query of the events of a window that began before it. */
export function eventsBeforeWindow(db: Transaction, calendarId: string, window: DayWindow) {
  const { spanStart: start } = window;
  return eventsAround(db, { calendarId, start, end: start }, LENGTH_CLASSES).where(overlaps(window));
}

/** Whether an event overlaps a window: an all-day one has the midnights UTC of its dates. */
export function overlaps({ start, end, firstDate, endDate }: Terms<DayWindow>) {
  return sql<boolean>`(
    (all_day = 0 and end_at > ${start} and start_at < ${end})
    or (all_day = 1 and end_at > ${firstDate} and start_at < ${endDate}))`;
}

interface CalendarSpan extends TimeSpan {
  readonly calendarId: string;
}

/** Events of similar length: up to `longest` (ms), and longer than those of the class before. */
interface LengthClass {
  readonly number: number;
  readonly longest: number;
}

const LENGTH_CLASSES: readonly LengthClass[] = [1, 8, 64, 512, 4_096, 32_768, 262_144, 4_000_000].map(
  (days, number) => ({ number, longest: days * DAY_MS }),
);

/** The class of an event, exactly as the index `events_by_length` has it; the last one takes all that are longer. */
const LENGTH_CLASS = sql<number>`(case ${sql.join(
  LENGTH_CLASSES.slice(0, -1).map(
    ({ number, longest }) => sql`when end_at - start_at <= ${sql.lit(longest)} then ${sql.lit(number)}`,
  ),
  sql` `,
)} else ${sql.lit(LENGTH_CLASSES.length - 1)} end)`;

/**
 * The events of some classes that overlap a time. Those of a class began at most the length of its longest before, so
 * the index visits few others, however many are earlier or later. With a join, SQLite searches the index once for each
 * class; with conditions joined by `or` it would read the whole calendar.
 */
function eventsAround(
  db: Transaction,
  { calendarId, start, end }: Terms<CalendarSpan>,
  classes: readonly LengthClass[],
) {
  // Without its type, PostgreSQL takes a parameter of `values` for text.
  const rows = classes.map(
    ({ number, longest }) => sql`(${sql.lit(number)}, cast(${start} as bigint) - ${sql.lit(longest)})`,
  );
  return (
    db
      .with(
        "classes(number, since)",
        () => sql<{ number: number; since: number }>`(values ${sql.join(rows)})`,
      )
      .selectFrom("classes")
      // A cross join: SQLite keeps its order.
      .crossJoin("events")
      .where("events.calendar_id", "=", calendarId)
      .where(LENGTH_CLASS, "=", ({ ref }) => ref("classes.number"))
      .whereRef("events.start_at", ">", "classes.since")
      .where("events.start_at", "<", end)
      .where("events.end_at", ">", start)
  );
}

export interface EventSizeQuery extends CalendarSpan {
  readonly creatorId: string;
}

/** Sizes of events in a response (bytes). */
export interface EventSizes {
  /** Of all creators. */
  readonly all: number;
  /** Of the one creator. */
  readonly own: number;
}

/** Whether an event is one of the long ones: of more than eight days. */
export function isLong({ start, end }: TimeSpan): boolean {
  return end - start > 8 * DAY_MS;
}

/** A query of the sizes of the events that overlap a time: only of the long ones, or only of the others. */
export function eventSizes(db: Transaction, query: Terms<EventSizeQuery>, long: boolean) {
  const classes = LENGTH_CLASSES.filter(({ longest }) => isLong({ start: 0, end: longest }) === long);
  return eventsAround(db, query, classes).select(({ fn }) => [
    fn.sum<number | null>("bytes").as("all"),
    fn.sum<number | null>("bytes").filterWhere("creator_id", "=", query.creatorId).as("own"),
  ]);
}

/** The sums of that query. */
export async function sumEventSizes(
  db: Transaction,
  query: EventSizeQuery,
  long: boolean,
): Promise<EventSizes> {
  const [sums] = await (long ? selectLongSizes : selectUsualSizes)(db, query);
  return { all: Number(sums?.all), own: Number(sums?.own) };
}

const selectLongSizes = compileOnce((db, values: Placeholders<EventSizeQuery>) =>
  eventSizes(db, values, true),
);

const selectUsualSizes = compileOnce((db, values: Placeholders<EventSizeQuery>) =>
  eventSizes(db, values, false),
);

/** Series of a calendar of which not all occurrences before a time are rows. Others get their turn meanwhile: some rows are large. */
export async function listSeriesMadeUntil(db: Transaction, values: SeriesEnd): Promise<SeriesRow[]> {
  const found = await selectIdsMadeUntil(db, values);
  return selectSeries(
    db,
    found.map(({ id }) => id),
  );
}

interface SeriesEnd {
  readonly calendarId: string;
  readonly time: number;
}

const selectIdsMadeUntil = compileOnce((db, { calendarId, time }: Placeholders<SeriesEnd>) =>
  db.selectFrom("series").select("id").where("calendar_id", "=", calendarId).where("made_until", "<", time),
);

const selectSeries = compileForIds((db, ids) => db.selectFrom("series").selectAll().where("id", "in", ids));
