import { attendeesOf, HORIZON, occurrenceOf } from "../occurrence.js";
import { slotsBetween } from "../series-rule.js";
import type { SeriesRow } from "../store/schema.js";
import { listOccurrences, replaceOccurrences, storeSeries } from "../store/series.js";
import type { Transaction } from "../store/store.js";

/** Makes the occurrences of series that have come before the horizon. @param now milliseconds since the epoch */
export async function continueSeries(db: Transaction, due: readonly SeriesRow[], now: number): Promise<void> {
  for (const series of due) {
    const { slots, madeUntil } = slotsBetween(series, series.made_until, now + HORIZON);
    // Beyond what was made some are rows all the same: those with comments.
    const stored = new Set((await listOccurrences(db, series.id)).map(({ id }) => id));
    const added = slots
      .map((slot) => ({ row: occurrenceOf(series, slot), attendeeIds: attendeesOf(series) }))
      .filter(({ row }) => !stored.has(row.id));
    await storeSeries(db, { ...series, made_until: madeUntil });
    const { calendar_id: calendarId } = series;
    await replaceOccurrences(db, { calendarId, removed: [], added, successors: new Map(), now });
  }
}
