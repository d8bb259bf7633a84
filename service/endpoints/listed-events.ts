import { DAY_MS } from "../../contract/date-time.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import type { DayWindow } from "../day-window.js";
import { HORIZON } from "../occurrence.js";
import { listSeriesMadeUntil } from "../store/event-windows.js";
import {
  EVENTS_AT_A_TIME,
  type EventListQuery,
  type EventPosition,
  isBefore,
  type ListedEvent,
  listEventsAfter,
  positionOf,
} from "../store/pages.js";
import type { Transaction } from "../store/store.js";
import type { UnstoredOccurrence } from "./unstored-events.js";

/**
 * The events that lists show: rows, and occurrences of series that have no row yet. Each list reads its events here, so that
 * a series has no gaps however long ago its calendar was written to.
 */

/** All events of a window that has an end, in order. Others get their turn meanwhile: there may be many. */
export async function* readWindow(
  db: Transaction,
  calendarId: string,
  window: DayWindow,
): AsyncGenerator<readonly ListedEvent[]> {
  const readNext = await openEventList(db, { calendarId, window, after: null });
  for (let last: ListedEvent | undefined; ; ) {
    const batch = await readNext(last === undefined ? null : positionOf(last));
    yield batch;
    last = batch.at(-1);
    if (batch.length < EVENTS_AT_A_TIME) return;
    await yieldToEventLoop();
  }
}

/** The next events of a list, as `listEventsAfter` gives them. @param after null for the first */
export type ReadNext = (after: EventPosition | null) => Promise<readonly ListedEvent[]>;

/**
 * Opens a list that is read in order.
 * @param until until when occurrences without a row are listed (ms), see `endOfSeries`; by default to the end of the window
 */
export async function openEventList(
  db: Transaction,
  query: EventListQuery,
  until = Number.POSITIVE_INFINITY,
): Promise<ReadNext> {
  const upTo = (time: number) => Math.min(time, until);
  const { window } = query;
  const days = {
    ...window,
    end: upTo(window.end),
    endDate: upTo(window.endDate),
    spanEnd: upTo(window.spanEnd),
  };
  const unstored = await openUnstored(db, { ...query, window: days });
  if (unstored === null) return (after) => listEventsAfter(db, { ...query, after });
  const { inOrder } = await import("./unstored-events.js");
  let waiting: ListedEvent[] = [];
  return async (after) => {
    const stored = await listEventsAfter(db, { ...query, after });
    if (after !== null) waiting = waiting.filter((event) => isBefore(after, positionOf(event)));
    while (waiting.length < EVENTS_AT_A_TIME) {
      const { value, done } = await unstored.next();
      if (done === true) break;
      waiting.push(value);
    }
    return [...stored, ...waiting].sort(inOrder).slice(0, EVENTS_AT_A_TIME);
  };
}

/** Until when a list without an end shows series, as if they had been continued today. @param today its midnight in UTC (ms) */
export function endOfSeries(today: number): number {
  return today + HORIZON - DAY_MS;
}

/** The occurrences of a window that have no rows, in order. Null if no series has any; then no rule is read. */
export async function openUnstored(
  db: Transaction,
  {
    calendarId,
    window,
    after,
    onlyFirst = false,
  }: Pick<EventListQuery, "calendarId" | "window" | "after"> & {
    /** Whether only the first of each series is wanted. */
    readonly onlyFirst?: boolean;
  },
): Promise<AsyncGenerator<UnstoredOccurrence> | null> {
  const series = await listSeriesMadeUntil(db, { calendarId, time: window.spanEnd });
  if (series.length === 0) return null;
  const { unstoredInOrder } = await import("./unstored-events.js");
  return unstoredInOrder(db, { calendarId, series, window, after, onlyFirst });
}
