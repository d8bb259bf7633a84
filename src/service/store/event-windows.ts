import { sql } from "kysely";
import { addDays, localDate, readWallClock } from "../../calendar/zoned-time.js";
import { DAY_MS, dateToInstant, MINUTE_MS } from "../../contract/date-time.js";
import { compileOnce, type Placeholders, type Terms } from "./compiled-query.js";
import type { Transaction } from "./store.js";

/** Whole days in a timezone, in milliseconds since the epoch. Ends are exclusive. */
export interface DayWindow {
  /** Midnight in the zone at which the first day starts. */
  readonly start: number;
  /** Midnight in the zone at which the last day ends. */
  readonly end: number;
  /** The same days as midnights UTC, which is how all-day events are stored. */
  readonly firstDate: number;
  readonly endDate: number;
}

/** A window that begins today. */
export interface WindowOfToday {
  readonly window: DayWindow;
  /** When today ends in the zone (ms since the epoch). */
  readonly until: number;
}

export interface DaysFromToday {
  /** IANA name. */
  readonly timezone: string;
  readonly days: number;
}

/** The window of `days` days from today in the timezone. */
export function dayWindow(now: number, { timezone, days }: DaysFromToday): WindowOfToday {
  const from = localDate(now, timezone);
  const window = windowOfDays({ from, to: addDays(from, days - 1), timezone });
  return { window, until: startOfDay(window.firstDate + DAY_MS, timezone) };
}

/** The same, and keeps those of the current minute. Clocks of zones change at whole minutes. */
export function createDayWindows(): typeof dayWindow {
  let current = Number.NaN;
  const windows = new Map<string, WindowOfToday>();
  return (now, days) => {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== current) windows.clear();
    current = minute;
    const key = `${days.days} ${days.timezone.toLowerCase()}`;
    const window = windows.get(key) ?? dayWindow(now, days);
    windows.set(key, window);
    return window;
  };
}

export interface Days {
  /** `YYYY-MM-DD`: the first and the last day; null for no limit. */
  readonly from: string | null;
  readonly to: string | null;
  /** IANA name. */
  readonly timezone: string;
}

/** The window of the days. A day may have 23 or 25 hours. */
export function windowOfDays({ from, to, timezone }: Days): DayWindow {
  const firstDate = from === null ? Number.MIN_SAFE_INTEGER : dateToInstant(from);
  const endDate = to === null ? Number.MAX_SAFE_INTEGER : dateToInstant(to) + DAY_MS;
  return {
    start: from === null ? firstDate : startOfDay(firstDate, timezone),
    end: to === null ? endDate : startOfDay(endDate, timezone),
    firstDate,
    endDate,
  };
}

/**
 * When a day starts in a timezone. If a clock change repeats midnight, the first one; if it skips midnight, the time of the
 * change.
 * @param midnight of the date in UTC
 */
function startOfDay(midnight: number, timezone: string): number {
  const reading = readWallClock(midnight, timezone);
  return reading.kind === "once" ? reading.instant : midnight - reading.before;
}

/**
 * The events of a calendar that overlap a window, ordered by start, as JSON with commas between them. Keeps without times
 * overlap none.
 */
export async function readEventsInWindow(
  db: Transaction,
  calendarId: string,
  window: DayWindow,
): Promise<string> {
  const [row] = await selectEventsInWindow(db, windowValues(calendarId, window));
  return row?.json ?? "";
}

// One row: making a value of each column of each row takes longer than to find them.
const selectEventsInWindow = compileOnce((db, values: Placeholders<WindowValues>) =>
  eventsInWindow(db, values).select(
    sql<string | null>`string_agg(json, ',' order by start_at, events.id)`.as("json"),
  ),
);

/** What a query of the events of a window depends on. */
interface WindowValues extends DayWindow {
  readonly calendarId: string;
  readonly spanStart: number;
  readonly spanEnd: number;
}

export function windowValues(calendarId: string, window: DayWindow): WindowValues {
  const { start, end, firstDate, endDate } = window;
  const span = spanOf(window);
  return { calendarId, start, end, firstDate, endDate, spanStart: span.start, spanEnd: span.end };
}

/** A query of those events, without columns and order. */
export function eventsInWindow(db: Transaction, values: Terms<WindowValues>) {
  const { calendarId, spanStart, spanEnd } = values;
  // The index finds a superset.
  const around = { calendarId, start: spanStart, end: spanEnd };
  return eventsAround(db, around, LENGTH_CLASSES).where(overlaps(values));
}

/** A query of those among them that began before the window. */
export function eventsBeforeWindow(db: Transaction, calendarId: string, window: DayWindow) {
  const { start } = spanOf(window);
  return eventsAround(db, { calendarId, start, end: start }, LENGTH_CLASSES).where(overlaps(window));
}

/** The time of timed events and of all-day ones together. */
export function spanOf({ start, end, firstDate, endDate }: DayWindow): TimeSpan {
  return { start: Math.min(start, firstDate), end: Math.max(end, endDate) };
}

/** A condition on events. */
export function overlaps({ start, end, firstDate, endDate }: Terms<DayWindow>) {
  return sql<boolean>`(
    (all_day = 0 and end_at > ${start} and start_at < ${end})
    or (all_day = 1 and end_at > ${firstDate} and start_at < ${endDate}))`;
}

/** Milliseconds since the epoch, the end exclusive. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
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

/** Sizes of events in an answer (bytes). */
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
