import { DAY_MS, dateToInstant, formatWireDateTime } from "../../../contract/date-time.js";
import type { EventDraft } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { timesFrom } from "../../events/repeat/series.js";
import { recurrenceOf } from "../../time/recurrence/lines.js";
import type { expandRecurrence } from "../../time/recurrence/recurrence.js";
import { addDays, instantAt } from "../../time/zoned-time.js";
import { type ImportEntry, occurrenceIdentity } from "./entry.js";
import type { ImportEvent } from "./plan.js";

/** The days of which occurrences are imported, both included. */
export interface DayWindow {
  readonly first: string;
  readonly last: string;
  /** In which they begin. */
  readonly zone: string;
}

/** When the days begin and end (ms since the Unix epoch). */
export function windowInstants({ first, last, zone }: DayWindow) {
  const startOf = (date: string) => instantAt(dateToInstant(date), zone);
  return { from: startOf(first), to: startOf(addDays(last, 1)) };
}

/** When an occurrence begins, which is a day with the window's clock. @param start midnight UTC of a day */
export function slotOf(
  start: number,
  { all_day: isAllDay }: Pick<EventDraft, "all_day">,
  { zone }: DayWindow,
): number {
  return isAllDay === true ? instantAt(start, zone) : start;
}

/** The most occurrences in the window. */
const MAX_OCCURRENCES = 10_000;

/**
 * The occurrences of a repeating event, each as long as the first.
 * @param expand see `expandRecurrence`, which is loaded for repeating events alone
 * @throws CliError usage for a rule that cannot be read, for too many occurrences, and for an all-day event within a day
 */
export function occurrencesOf(
  { identity: uid, content, recurrences }: ImportEntry,
  { window, expand }: { readonly window: DayWindow; readonly expand: typeof expandRecurrence },
): readonly ImportEvent[] {
  const { from, to } = windowInstants(window);
  const found: ImportEvent[] = [];
  // A date begins up to a day before or after its midnight in UTC.
  for (const instant of expand(recurrenceOf(content, recurrences), from - DAY_MS)) {
    const slot = slotOf(instant, content, window);
    if (slot >= to) break;
    if (slot < from) continue;
    if (content.all_day === true && instant % DAY_MS !== 0)
      throw usageError("an all-day event cannot repeat within a day");
    if (found.length === MAX_OCCURRENCES)
      throw usageError(
        `it repeats too often: more than ${MAX_OCCURRENCES} times from ${window.first} to ${window.last}`,
      );
    const identity = occurrenceIdentity(uid, formatWireDateTime(instant));
    found.push({ identity, content: { ...content, ...timesFrom(content, instant) }, slot });
  }
  return found;
}
