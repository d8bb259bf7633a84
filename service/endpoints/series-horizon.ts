import { yieldToEventLoop } from "../../src/system/clock.js";
import type { DayWindow } from "../day-window.js";
import { attendeesOf, HORIZON, occurrenceOf } from "../occurrence.js";
import { slotsBetween, slotsOf } from "../series-rule.js";
import type { EventRow, SeriesRow } from "../store/schema.js";
import { listIdsFrom, replaceOccurrences, storeSeries } from "../store/series.js";
import type { Transaction } from "../store/store.js";
import { unstoredOccurrence } from "./series-reads.js";

/** Unstored occurrences of one list, at most. */
const MAX_UNSTORED = 10_000;

/** An unstored occurrence with its attendees. */
type UnstoredOccurrence = EventRow & { readonly attendeeIds: readonly string[] };

/** The unstored occurrences of some series on the days of a window, series by series. */
export async function unstoredInWindow(
  db: Transaction,
  series: readonly SeriesRow[],
  window: DayWindow,
): Promise<readonly UnstoredOccurrence[]> {
  const found: UnstoredOccurrence[] = [];
  for (const one of series) {
    const [start, end] = one.all_day === 1 ? [window.firstDate, window.endDate] : [window.start, window.end];
    const stored = await listIdsFrom(db, one.id, one.made_until);
    // It may begin before the window.
    const from = Math.max(one.made_until, start - one.length + 1);
    for (const slot of slotsOf(one, from)) {
      if (slot >= end || found.length >= MAX_UNSTORED) break;
      const row = unstoredOccurrence(one, slot);
      if (!stored.has(row.id)) found.push({ ...row, attendeeIds: attendeesOf(one) });
    }
    await yieldToEventLoop();
  }
  return found;
}

/** Makes the occurrences of series that have come before the horizon. @param now milliseconds since the epoch */
export async function storeUntilHorizon(
  db: Transaction,
  due: readonly SeriesRow[],
  now: number,
): Promise<void> {
  for (const series of due) {
    const { slots, madeUntil } = slotsBetween(series, series.made_until, now + HORIZON);
    // Beyond what was made some are rows all the same: those with comments.
    const stored = await listIdsFrom(db, series.id, series.made_until);
    const added = slots
      .map((slot) => ({ row: occurrenceOf(series, slot), attendeeIds: attendeesOf(series) }))
      .filter(({ row }) => !stored.has(row.id));
    await storeSeries(db, { ...series, made_until: madeUntil });
    const { calendar_id: calendarId } = series;
    await replaceOccurrences(db, { calendarId, removed: [], added, successors: new Map(), now });
  }
}
