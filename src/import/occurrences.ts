import { dateToInstant, formatWireDateTime } from "../../contract/date-time.js";
import type { EventContent } from "../calendar/event-draft.js";
import type { expandRecurrence } from "../calendar/recurrence.js";
import { recurrenceOf } from "../calendar/recurrence-lines.js";
import { timesFrom } from "../calendar/series.js";
import { addDays, instantAt } from "../calendar/zoned-time.js";
import { usageError } from "../errors.js";
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
export function slotOf(start: number, { all_day: isAllDay }: EventContent, { zone }: DayWindow): number {
  return isAllDay === true ? instantAt(start, zone) : start;
}

/** Largest numbers of occurrences: of those in the window, and of all before its end. */
const [MAX_OCCURRENCES, MAX_STEPS] = [10_000, 100_000];

/**
 * The occurrences of a repeating event, each as long as the first.
 * @param expand see `expandRecurrence`, which is loaded for repeating events alone
 * @throws CliError usage for a rule that cannot be read, and for too many occurrences
 */
export function occurrencesOf(
  { identity: uid, content, recurrences }: ImportEntry,
  { window, expand }: { readonly window: DayWindow; readonly expand: typeof expandRecurrence },
): readonly ImportEvent[] {
  const { from, to } = windowInstants(window);
  const found: ImportEvent[] = [];
  let steps = 0;
  for (const instant of expand(recurrenceOf(content, recurrences))) {
    const slot = slotOf(instant, content, window);
    if (slot >= to) break;
    steps += 1;
    if (found.length === MAX_OCCURRENCES || steps > MAX_STEPS)
      throw usageError(`it repeats too often: more than ${MAX_OCCURRENCES} times up to ${window.last}`);
    if (slot < from) continue;
    const identity = occurrenceIdentity(uid, formatWireDateTime(instant));
    found.push({ identity, content: { ...content, ...timesFrom(content, instant) }, slot });
  }
  return found;
}
