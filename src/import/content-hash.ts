import { createHash } from "node:crypto";
import type { CalendarEvent } from "../../contract/shapes.js";
import { contentKey } from "../calendar/event-changes.js";
import { fromFirstSlot, isSeries } from "../calendar/series.js";

/** The same for two versions of an event of the calendar that say the same; of a series, whatever its events say on their own. */
export function hashEvent(event: CalendarEvent): string {
  const rule = event.recurrences.filter((line) => !line.startsWith("EXDATE"));
  return shortHash(contentKey(isSeries(event) ? { ...fromFirstSlot(event), recurrences: rule } : event));
}

/** Long enough that nothing is taken for the same by chance. */
export function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}
