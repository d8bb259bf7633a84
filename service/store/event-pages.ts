import { sql } from "kysely";
import type { Category } from "../../contract/shapes.js";
import { type DayWindow, spanOf } from "../day-window.js";
import { eventsBeforeWindow, overlaps } from "./event-windows.js";
import type { EventRow } from "./schema.js";
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

export interface EventListQuery {
  readonly calendarId: string;
  readonly window: DayWindow;
  /** Null for the first page. */
  readonly after: EventPosition | null;
  /** With `keep`, those without times come last. Events of other categories are left for the reader to leave out. */
  readonly category?: Category;
}

/** An event of a list, with its order, its size, what a search compares and what it refers to. */
export type ListedEvent = Pick<
  EventRow,
  | "id"
  | "json"
  | "start_at"
  | "bytes"
  | "title"
  | "description"
  | "location"
  | "moves"
  | "category"
  | "creator_id"
  | "label_number"
>;

const LISTED_COLUMNS = [
  "events.id",
  "json",
  "start_at",
  "bytes",
  "title",
  "description",
  "location",
  "moves",
  "category",
  "creator_id",
  "label_number",
] as const;

/**
 * The next events of a list, ordered by start and id, those without times last. The rows that are visited do not grow
 * with the list.
 */
export async function listEventsAfter(
  db: Transaction,
  query: EventListQuery,
  count: number,
): Promise<ListedEvent[]> {
  const { start } = spanOf(query.window);
  const isBefore = query.after === null || query.after.start < start;
  const before = isBefore ? await listBeforeWindow(db, query, count) : [];
  if (before.length === count) return before;
  const started = await eventsFrom(db, query)
    .select(LISTED_COLUMNS)
    .limit(count - before.length)
    .execute();
  const dated = [...before, ...started];
  if (query.category !== "keep" || dated.length === count) return dated;
  const timeless = await eventsWithoutTimes(db, query)
    .select(LISTED_COLUMNS)
    .limit(count - dated.length)
    .execute();
  return [...dated, ...timeless];
}

/** The few that began before the window. */
function listBeforeWindow(
  db: Transaction,
  { calendarId, window, after }: EventListQuery,
  count: number,
): Promise<ListedEvent[]> {
  return eventsBeforeWindow(db, calendarId, window)
    .select(LISTED_COLUMNS)
    .where(follows(after))
    .orderBy("start_at")
    .orderBy("id")
    .limit(count)
    .execute();
}

/** A query of the events that begin in the window, in order. */
export function eventsFrom(db: Transaction, { calendarId, window, after }: EventListQuery) {
  const { start, end } = spanOf(window);
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
