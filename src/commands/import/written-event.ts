import type { Event, EventDraft } from "../../../contract/shapes.js";
import { replacing, says } from "../../events/content.js";
import type { ImportRecord } from "../../events/imported/records.js";
import { isSeries } from "../../events/repeat/series.js";
import { hashContent, hashEvent } from "./content-hash.js";
import { type ImportEvent, seriesRecord } from "./plan.js";
import { draftOfSeries, repeatsAs } from "./series.js";

/** What is remembered of an event that says what the file says; null for an occurrence that is as its series says. */
export function writtenRecord(event: ImportEvent, left: Event): ImportRecord | null {
  if (isUntouched(left)) return null;
  const hash = hashContent(event.content);
  const { slot, isAlone } = event;
  return { id: left.id, hash, left: hashEvent(left), slot, isAlone, series: seriesRecord(event) };
}

/** Whether an occurrence is as its series says. */
export function isUntouched(event: Event): boolean {
  return event.series_id !== null && !isSeries(event) && event.recurrences.length > 0;
}

/** Whether an event says what would be written. */
export function isAsDrafted(
  current: Event,
  draft: EventDraft,
  event: Pick<ImportEvent, "exceptions">,
): boolean {
  const wanted = draftOfChange(draft, current, event);
  return says(current, wanted) && (!wanted.recurrences || repeatsAs(wanted, current));
}

/** What replaces an event: what the file does not have is cleared. */
export function draftOfChange(
  draft: EventDraft,
  current: Event,
  { exceptions }: Pick<ImportEvent, "exceptions">,
): EventDraft {
  return replacing(current, isSeries(current) ? draftOfSeries(draft, current, exceptions) : draft);
}
