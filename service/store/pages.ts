import type { Category } from "../../contract/shapes.js";
import type { DayWindow } from "../day-window.js";
import { isSeries } from "../occurrence.js";
import { OVERLAPS, selectBeforeWindow, valuesBeforeWindow, valuesOfOverlaps } from "./event-windows.js";
import { SHOWN_COLUMNS, type ShownEvent } from "./events.js";
import type { ActivityRow, EventRow } from "./schema.js";
import type { SqlValue } from "./sql.js";
import type { Transaction } from "./store.js";

/** Where a page ends: the last of its events in the order of start and id. */
export interface EventPosition {
  /** Milliseconds since the epoch; `WITHOUT_TIMES` of a keep that has none. */
  readonly start: number;
  readonly id: string;
}

/**
 * The place of keeps without times: later than every start. An event that loses its times moves there like to another
 * start; one that gets some is not listed again, since everything up to it had been read.
 */
export const WITHOUT_TIMES = Number.MAX_SAFE_INTEGER;

/** Where an event is in the order of lists. */
export function positionOf({ start_at, id }: Pick<EventRow, "start_at" | "id">): EventPosition {
  return { start: start_at ?? WITHOUT_TIMES, id };
}

/** Whether a position comes before another one. */
export function isBefore(one: EventPosition, other: EventPosition): boolean {
  return one.start < other.start || (one.start === other.start && one.id < other.id);
}

export interface EventListQuery {
  readonly calendarId: string;
  readonly window: DayWindow;
  /** Null for the first page. */
  readonly after: EventPosition | null;
  /** With `keep`, those without times come last. Events of other categories are left for the reader to leave out. */
  readonly category?: Category;
}

/** An event of a list, with what tells whether it was read before. */
export type ListedEvent = ShownEvent & Pick<EventRow, "moves">;

/** Events that are read at a time. As many of the largest have about 4 MiB. */
export const EVENTS_AT_A_TIME = 64;

const SELECT = `select ${SHOWN_COLUMNS}, moves from events`;

const IN_ORDER = `order by start_at, id limit ${EVENTS_AT_A_TIME}`;

/** The few that began before the window, after a place. The plus keeps SQLite from reading all that are after it. */
const SELECT_BEFORE = `${selectBeforeWindow(`${SHOWN_COLUMNS}, moves`)} and (+start_at, id) > (?, ?) ${IN_ORDER}`;

/** Those that begin in the window, after a place. */
const SELECT_FROM = `${SELECT}
  where calendar_id = ? and (start_at, id) > (?, ?) and start_at < ? and ${OVERLAPS} ${IN_ORDER}`;

/** Keeps without times. Their start is always null, but PostgreSQL needs it to read the index in its order. */
const SELECT_WITHOUT_TIMES = `${SELECT} where calendar_id = ? and start_at is null and id > ? ${IN_ORDER}`;

/**
 * The next events of a list, `EVENTS_AT_A_TIME` or fewer at its end, ordered by start and id, those without times last. The rows
 * that are visited do not grow with the list.
 */
export async function listEventsAfter(
  db: Transaction,
  { calendarId, window, after, category }: EventListQuery,
): Promise<ListedEvent[]> {
  const { spanStart, spanEnd } = window;
  const isInWindow = after !== null && after.start >= spanStart;
  const place = after ?? { start: Number.MIN_SAFE_INTEGER, id: "" };
  const from = isInWindow ? after : { start: spanStart, id: "" };
  const events: ListedEvent[] = [];
  const add = async (text: string, ...values: readonly SqlValue[]) => {
    if (events.length < EVENTS_AT_A_TIME) events.push(...(await db.all<ListedEvent>(text, ...values)));
  };
  if (!isInWindow) await add(SELECT_BEFORE, ...valuesBeforeWindow(calendarId, window), place.start, place.id);
  await add(SELECT_FROM, calendarId, from.start, from.id, spanEnd, ...valuesOfOverlaps(window));
  if (category === "keep")
    await add(SELECT_WITHOUT_TIMES, calendarId, place.start === WITHOUT_TIMES ? place.id : "");
  return events.slice(0, EVENTS_AT_A_TIME);
}

export interface ActivityListQuery {
  /** One event, or a series for all of its events. */
  readonly event: Pick<EventRow, "id" | "series_id">;
  /** The comment that was listed last: when it was created (ms), and its id; null for the first page. */
  readonly after: { readonly at: number; readonly id: string } | null;
}

/** The next comments on an event or on those of a series, oldest first. */
export function listActivitiesAfter(
  db: Transaction,
  { event, after }: ActivityListQuery,
  count: number,
): Promise<ActivityRow[]> {
  const events = isSeries(event) ? "in (select id from events where series_id = ?)" : "= ?";
  return db.all<ActivityRow>(
    `select id, event_id, user_id, content, created_at, updated_at from activities
    where event_id ${events} and (created_at, id) > (?, ?)
    order by created_at, id limit ?`,
    event.id,
    after?.at ?? Number.MIN_SAFE_INTEGER,
    after?.id ?? "",
    count,
  );
}
