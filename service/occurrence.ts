import { DAY_MS, parseLenientDateTime } from "../contract/date-time.js";
import { originalStartText } from "../contract/extensions.js";
import type { EventContent, EventRow, SeriesRow } from "./store/schema.js";

/** What an event that does not repeat has in the columns of a series. */
export const SINGLE = { series_id: null, slot: null, recurrences: "" } as const;

/** How far ahead of the time of a write the occurrences of a series are rows (ms). */
export const HORIZON = 731 * DAY_MS;

/** The id of an occurrence: `ID_20261207T080000Z`, all-day `ID_20261207`. @param slot when it starts by its rule */
export function occurrenceId({ id, all_day }: Pick<SeriesRow, "id" | "all_day">, slot: number): string {
  return `${id}_${originalStartText(slot, all_day === 1)}`;
}

/** The series and the slot of which an id would be that of an occurrence; null for any other id. */
export function parseOccurrenceId(id: string): { readonly seriesId: string; readonly slot: number } | null {
  const [, seriesId, text = ""] = /^([0-9a-f]{32})_(\d{8}(?:T\d{6}Z)?)$/.exec(id) ?? [];
  const slot = parseLenientDateTime(text)?.instant;
  return seriesId === undefined || slot === undefined ? null : { seriesId, slot };
}

/** Whether an event stands for a series: `showSeries` gives it the id of the series. */
export function isSeries({ id, series_id }: Pick<EventRow, "id" | "series_id">): boolean {
  return id === series_id;
}

/** Whether an event, other than one that stands for a series, is a row: occurrences beyond the horizon are none. */
export function isStored({ revision }: Pick<EventRow, "revision">): boolean {
  return revision > 0;
}

/** Whether an occurrence was changed on its own. */
export function isChangedAlone({ series_id, recurrences }: Pick<EventRow, "series_id" | "recurrences">) {
  return series_id !== null && recurrences === "";
}

/** An occurrence as its series has it. */
export function occurrenceOf(series: SeriesRow, slot: number): EventContent {
  const {
    start_clock: _,
    length,
    attendees: _attendees,
    modified_at: _modified,
    made_until: _until,
    recurrences,
    ...content
  } = series;
  return {
    ...content,
    id: occurrenceId(series, slot),
    start_at: slot,
    end_at: slot + length,
    series_id: series.id,
    slot,
    recurrences: linesOfOccurrences(recurrences),
  };
}

/** The lines of a series that its occurrences have. */
export function linesOfOccurrences(recurrences: string): string {
  const lines = recurrences.split("\n");
  return lines.filter((line) => !line.startsWith("EXDATE")).join("\n");
}

/** The attendees of a series, in its order. */
export function attendeesOf({ attendees }: Pick<SeriesRow, "attendees">): readonly string[] {
  return attendees === "" ? [] : attendees.split(" ");
}
