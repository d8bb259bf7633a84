import type { Category } from "../../contract/shapes.js";
import type { DayWindow } from "../day-window.js";
import { isSeries } from "../occurrence.js";
import { eventsBeforeWindow, OVERLAPS, type Query, valuesOfOverlaps } from "./event-windows.js";
import { SHOWN_COLUMNS, type ShownEvent } from "./events.js";
import type { ActivityRow, EventRow } from "./schema.js";
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

/**
 * The next events of a list, ordered by start and id, those without times last. The rows that are visited do not grow
 * with the list.
 * @param count a constant: the statements have it
 */
export async function listEventsAfter(
  db: Transaction,
  query: EventListQuery,
  count: number,
): Promise<ListedEvent[]> {
  const { window, after, category } = query;
  const isBefore = after === null || after.start < window.spanStart;
  const lists = [
    // The few that began before the window.
    ...(isBefore ? [eventsBefore] : []),
    eventsFrom,
    ...(category === "keep" ? [eventsWithoutTimes] : []),
  ];
  const columns = `${SHOWN_COLUMNS}, moves`;
  const events: ListedEvent[] = [];
  for (const list of lists) {
    if (events.length >= count) break;
    const { text, values } = list(columns, query);
    events.push(...(await db.all<ListedEvent>(`${text} limit ${count}`, ...values)));
  }
  return events.slice(0, count);
}

/** A query of the events that began before the window, in order. */
function eventsBefore(columns: string, { calendarId, window, after }: EventListQuery): Query {
  const { text, values } = eventsBeforeWindow(columns, calendarId, window);
  const order = "order by start_at, id";
  if (after === null) return { text: `${text} ${order}`, values };
  return {
    text: `${text} and (start_at, id) > (?, ?) ${order}`,
    values: [...values, after.start, after.id],
  };
}

/** A query of the events that begin in the window, in order. */
function eventsFrom(columns: string, { calendarId, window, after }: EventListQuery): Query {
  const { spanStart: start, spanEnd: end } = window;
  const place = after !== null && after.start >= start ? after : { start, id: "" };
  return {
    text: `select ${columns} from events
      where calendar_id = ? and (start_at, id) > (?, ?) and start_at < ? and ${OVERLAPS}
      order by start_at, id`,
    values: [calendarId, place.start, place.id, end, ...valuesOfOverlaps(window)],
  };
}

/** A query of the keeps without times, in order. */
function eventsWithoutTimes(
  columns: string,
  { calendarId, after }: Pick<EventListQuery, "calendarId" | "after">,
): Query {
  // Their start is always null, but PostgreSQL needs it to read the index in its order.
  return {
    text: `select ${columns} from events
      where calendar_id = ? and start_at is null and id > ?
      order by start_at, id`,
    values: [calendarId, after?.start === WITHOUT_TIMES ? after.id : ""],
  };
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
