import { DAY_MS } from "../../contract/date-time.js";
import type { DayWindow, TimeSpan } from "../day-window.js";
import { sizeInSql } from "./events.js";
import type { SeriesRow } from "./schema.js";
import { SERIES } from "./series.js";
import { allWithIds, type SqlValue } from "./sql.js";
import type { Transaction } from "./store.js";

/** SQL of the events of a window that began before it, in no order. Its values are those of `valuesBeforeWindow`. */
export function selectBeforeWindow(columns: string): string {
  // The index finds a superset.
  return `${selectAround(columns, LENGTH_CLASSES)} and ${OVERLAPS}`;
}

export function valuesBeforeWindow(calendarId: string, window: DayWindow): readonly SqlValue[] {
  const { spanStart: start } = window;
  const around = valuesAround({ calendarId, start, end: start }, LENGTH_CLASSES);
  return [...around, ...valuesOfOverlaps(window)];
}

/** Whether an event overlaps a window: an all-day one has the midnights UTC of its dates. */
export const OVERLAPS = `((events.all_day = 0 and events.end_at > ? and events.start_at < ?)
  or (events.all_day = 1 and events.end_at > ? and events.start_at < ?))`;

export function valuesOfOverlaps({ start, end, firstDate, endDate }: DayWindow): readonly number[] {
  return [start, end, firstDate, endDate];
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
const LENGTH_CLASS = `(case ${LENGTH_CLASSES.slice(0, -1)
  .map(({ number, longest }) => `when end_at - start_at <= ${longest} then ${number}`)
  .join(" ")} else ${LENGTH_CLASSES.length - 1} end)`;

/**
 * The events of some classes that overlap a time. Those of a class began at most the length of its longest before, so
 * the index visits few others, however many are earlier or later. With a join, SQLite searches the index once for each
 * class; with conditions joined by `or` it would read the whole calendar.
 */
function selectAround(columns: string, classes: readonly LengthClass[]): string {
  // Without its type, PostgreSQL takes a parameter of `values` for text.
  const rows = classes.map(({ number, longest }) => `(${number}, cast(? as bigint) - ${longest})`);
  // A cross join: SQLite keeps its order.
  return `with classes(number, since) as (values ${rows.join(", ")})
    select ${columns} from classes cross join events
    where events.calendar_id = ? and ${LENGTH_CLASS} = classes.number and events.start_at > classes.since
      and events.start_at < ? and events.end_at > ?`;
}

function valuesAround(
  { calendarId, start, end }: CalendarSpan,
  classes: readonly LengthClass[],
): readonly SqlValue[] {
  return [...classes.map(() => start), calendarId, end, start];
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

/** The sizes of the events that overlap a time: only of the long ones, or only of the others. */
export async function sumEventSizes(
  db: Transaction,
  { creatorId, ...span }: EventSizeQuery,
  long: boolean,
): Promise<EventSizes> {
  const classes = LENGTH_CLASSES.filter(({ longest }) => isLong({ start: 0, end: longest }) === long);
  const sizes = selectAround(`creator_id, ${sizeInSql(db)} as bytes`, classes);
  const [sums] = await db.all<EventSizes>(
    // Materialized, so that each size is computed once.
    `with sizes as materialized (${sizes})
    select sum(bytes) as "all", sum(case when creator_id = ? then bytes end) as own from sizes`,
    ...valuesAround(span, classes),
    creatorId,
  );
  return { all: Number(sums?.all), own: Number(sums?.own) };
}

interface SeriesEnd {
  readonly calendarId: string;
  readonly time: number;
}

/** Series of a calendar of which not all occurrences before a time are rows. Others get their turn meanwhile: some rows are large. */
export async function listSeriesMadeUntil(
  db: Transaction,
  { calendarId, time }: SeriesEnd,
): Promise<SeriesRow[]> {
  const found = await db.all<Pick<SeriesRow, "id">>(
    "select id from series where calendar_id = ? and made_until < ?",
    calendarId,
    time,
  );
  const ids = found.map(({ id }) => id);
  return allWithIds(db, ids, (marks) => `select ${SERIES} from series where id in (${marks})`);
}
