import {
  attendeesOf,
  isChangedAlone,
  isSeries,
  occurrenceId,
  occurrenceOf,
  parseOccurrenceId,
} from "../occurrence.js";
import { listAttendees } from "../store/events.js";
import type { EventRow, SeriesRow } from "../store/schema.js";
import { findFirstOccurrence, findSeries } from "../store/series.js";
import type { Transaction } from "../store/store.js";

/** What an id stands for that no row has: a series, or an unstored occurrence. */
export async function findRepeating(
  db: Transaction,
  calendarId: string,
  id: string,
): Promise<EventRow | undefined> {
  const whole = await findSeries(db, calendarId, id);
  if (whole !== undefined) return showSeries(db, whole);
  const place = parseOccurrenceId(id);
  const series = place === null ? undefined : await findSeries(db, calendarId, place.seriesId);
  if (place === null || series === undefined || place.slot < series.made_until) return undefined;
  if (occurrenceId(series, place.slot) !== id) return undefined;
  const { openSlots } = await import("../series-rule.js");
  return openSlots(series).has(place.slot) ? unstoredOccurrence(series, place.slot) : undefined;
}

/** A series as answers have it: its first occurrence by the rule with the series' id and all its lines. Undefined where it has none. */
export async function showSeries(db: Transaction, series: SeriesRow): Promise<EventRow | undefined> {
  const found = await findFirst(db, series);
  if (found === undefined) return undefined;
  const first = isChangedAlone(found)
    ? unstoredOccurrence(series, (await nextSlot(series)) ?? found.slot ?? 0)
    : found;
  const { id, recurrences, modified_at: updated_at } = series;
  return { ...first, id, recurrences, updated_at };
}

/** The first occurrence of a series by its id; undefined where it has none, or there is no such series. */
export async function findFirstOf(
  db: Transaction,
  calendarId: string,
  seriesId: string,
): Promise<EventRow | undefined> {
  const series = await findSeries(db, calendarId, seriesId);
  return series && findFirst(db, series);
}

/** Plain ids of the attendees of a series, or of an unstored occurrence, in order. */
export async function listSeriesAttendees(db: Transaction, event: EventRow): Promise<readonly string[]> {
  const { id, series_id, calendar_id } = event;
  const first = isSeries(event) ? await findFirstOccurrence(db, id) : undefined;
  if (first !== undefined && !isChangedAlone(first)) return listAttendees(db, first.id);
  const series = await findSeries(db, calendar_id, series_id ?? "");
  return series === undefined ? [] : attendeesOf(series);
}

/** The first occurrence of a series: where none is a row, the next one by the rule. Undefined where it has none. */
export async function findFirst(db: Transaction, series: SeriesRow): Promise<EventRow | undefined> {
  const stored = await findFirstOccurrence(db, series.id);
  if (stored !== undefined) return stored;
  const next = await nextSlot(series);
  return next === undefined ? undefined : unstoredOccurrence(series, next);
}

/** The first one that no row stands for; undefined where there are no more. */
async function nextSlot(series: SeriesRow): Promise<number | undefined> {
  const { slotsOf } = await import("../series-rule.js");
  const [next] = slotsOf(series, series.made_until);
  return next;
}

/** An unstored occurrence: its revision is 0, see `isStored`. */
export function unstoredOccurrence(series: SeriesRow, slot: number): EventRow {
  return { ...occurrenceOf(series, slot), moves: "", revision: 0 };
}
