import { sql } from "kysely";
import type { Category } from "../../contract/shapes.js";
import type { DayWindow } from "../day-window.js";
import { isSeries } from "../occurrence.js";
import { eventsBeforeWindow, overlaps } from "./event-windows.js";
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

const LISTED_COLUMNS = [
  ...(["id", "json", "start_at", "bytes", "title", "description", "location"] as const),
  ...(["moves", "category", "creator_id", "label_number"] as const),
] as const;

/** An event of a list, with its order, its size, what a search compares and what it refers to. */
export type ListedEvent = Pick<EventRow, (typeof LISTED_COLUMNS)[number]>;

/**
 * The next events of a list, ordered by start and id, those without times last. The rows that are visited do not grow
 * with the list.
 */
export async function listEventsAfter(
  db: Transaction,
  query: EventListQuery,
  count: number,
): Promise<ListedEvent[]> {
  const { calendarId, window, after, category } = query;
  const isBefore = after === null || after.start < window.spanStart;
  const events: ListedEvent[] = isBefore
    ? // The few that began before the window.
      await eventsBeforeWindow(db, calendarId, window)
        .select(LISTED_COLUMNS)
        .where(follows(after))
        .orderBy("start_at")
        .orderBy("id")
        .limit(count)
        .execute()
    : [];
  for (const list of category === "keep" ? [eventsFrom, eventsWithoutTimes] : [eventsFrom]) {
    if (events.length === count) break;
    const limit = count - events.length;
    events.push(...(await list(db, query).select(LISTED_COLUMNS).limit(limit).execute()));
  }
  return events;
}

/** A query of the events that begin in the window, in order. */
export function eventsFrom(db: Transaction, { calendarId, window, after }: EventListQuery) {
  const { spanStart: start, spanEnd: end } = window;
  return db
    .selectFrom("events")
    .where("calendar_id", "=", calendarId)
    .where(follows(after !== null && after.start >= start ? after : { start, id: "" }))
    .where("start_at", "<", end)
    .where(overlaps(window))
    .orderBy("start_at")
    .orderBy("id");
}

/** A query of the keeps without times, in order. */
export function eventsWithoutTimes(
  db: Transaction,
  { calendarId, after }: Pick<EventListQuery, "calendarId" | "after">,
) {
  return (
    db
      .selectFrom("events")
      .where("calendar_id", "=", calendarId)
      .where("start_at", "is", null)
      .where("id", ">", after?.start === WITHOUT_TIMES ? after.id : "")
      // Always null, but PostgreSQL needs it to read the index in its order.
      .orderBy("start_at")
      .orderBy("id")
  );
}

/** Whether an event comes after the position. */
function follows(after: EventPosition | null) {
  return after === null ? sql<boolean>`true` : sql<boolean>`(start_at, id) > (${after.start}, ${after.id})`;
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
  const { id } = event;
  const ids = isSeries(event) ? db.selectFrom("events").select("id").where("series_id", "=", id) : [id];
  return db
    .selectFrom("activities")
    .selectAll()
    .where("event_id", "in", ids)
    .where(after === null ? sql<boolean>`true` : sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
    .orderBy("created_at")
    .orderBy("id")
    .limit(count)
    .execute();
}
