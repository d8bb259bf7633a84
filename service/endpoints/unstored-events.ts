import { yieldToEventLoop } from "../../src/system/clock.js";
import type { DayWindow } from "../day-window.js";
import { slotsBetween } from "../series-rule.js";
import { type EventPosition, isBefore, type ListedEvent, positionOf } from "../store/pages.js";
import type { EventRow, SeriesRow } from "../store/schema.js";
import { listIdsBeyond } from "../store/series.js";
import type { Transaction } from "../store/store.js";
import { unstoredOccurrence } from "./series-reads.js";

/** Load it by `import()`: few requests need the rule engine. */

/** An unstored occurrence as lists have events. */
export type UnstoredOccurrence = EventRow & ListedEvent;

interface UnstoredQuery {
  readonly calendarId: string;
  /** Those that have occurrences in the window without a row. */
  readonly series: readonly SeriesRow[];
  readonly window: DayWindow;
  /** Only events after it are wanted; null for all. */
  readonly after: EventPosition | null;
  /** Whether only the first of each series is wanted. */
  readonly onlyFirst: boolean;
}

/** Occurrences that are read before other requests get their turn. */
const SLICE = 10;

/** The unstored occurrences of some series on the days of a window, in the order of lists; yields to other requests. */
export async function* unstoredInOrder(
  db: Transaction,
  { calendarId, series, window, after, onlyFirst }: UnstoredQuery,
): AsyncGenerator<UnstoredOccurrence> {
  const stored = await listIdsBeyond(db, calendarId);
  const open: OpenSeries[] = [];
  const advance = (occurrences: Iterator<UnstoredOccurrence>) => {
    const { value, done } = occurrences.next();
    if (done !== true) insertInOrder(open, { next: value, at: positionOf(value), occurrences });
  };
  for (const one of series) {
    // A counted rule is counted from its start.
    await yieldToEventLoop();
    advance(occurrencesOf(one, { window, after, stored }));
  }
  let count = 0;
  for (let first = open.pop(); first !== undefined; first = open.pop()) {
    count += 1;
    if (count % SLICE === 0) await yieldToEventLoop();
    yield first.next;
    if (!onlyFirst) advance(first.occurrences);
  }
}

/** Keeps the series whose next occurrence is the earliest at the end. */
function insertInOrder(open: OpenSeries[], one: OpenSeries): void {
  let [low, high] = [0, open.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const other = open[middle];
    if (other !== undefined && isBefore(one.at, other.at)) low = middle + 1;
    else high = middle;
  }
  open.splice(low, 0, one);
}

interface OpenSeries {
  readonly next: UnstoredOccurrence;
  readonly at: EventPosition;
  /** Those after it. */
  readonly occurrences: Iterator<UnstoredOccurrence>;
}

function* occurrencesOf(
  series: SeriesRow,
  {
    window,
    after,
    stored,
  }: Pick<UnstoredQuery, "window" | "after"> & { readonly stored: ReadonlySet<string> },
): Generator<UnstoredOccurrence> {
  const [start, end] = series.all_day === 1 ? [window.firstDate, window.endDate] : [window.start, window.end];
  // It may begin before the window.
  const from = Math.max(series.made_until, start - series.length + 1, after?.start ?? start - series.length);
  for (const slot of slotsBetween(series, from, end - 1)) {
    const row = unstoredOccurrence(series, slot);
    const isWanted = after === null || isBefore(after, positionOf(row));
    if (isWanted && !stored.has(row.id)) yield { ...row, attendees: series.attendees };
  }
}

/** Compares by the order of lists. */
export function inOrder(
  one: Pick<ListedEvent, "id" | "start_at">,
  other: Pick<ListedEvent, "id" | "start_at">,
): number {
  return isBefore(positionOf(one), positionOf(other)) ? -1 : 1;
}
