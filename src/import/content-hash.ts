import { createHash } from "node:crypto";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { contentKey } from "../calendar/event-changes.js";
import type { Named } from "../calendar/names.js";
import { fromFirstSlot, isSeries } from "../calendar/series.js";

/** The same for two versions of a file's event that say the same. Earlier imports have remembered it, so it must not change. */
export function hashContent(content: EventDraft<Named>): string {
  const { category, title, description, location, url, label, attendees } = content;
  const { all_day, start_at, start_timezone, end_at, end_timezone, recurrences } = content;
  return shortHash([
    ...[category, title, all_day ?? false, start_at, start_timezone, end_at, end_timezone],
    ...[description || null, location || null, url || null],
    ...[label?.value, attendees?.map(({ value }) => value) ?? []],
    ...(recurrences === undefined ? [] : [recurrences]),
  ]);
}

/** The same for two versions of an event of the calendar that say the same; of a series, whatever its events say on their own. */
export function hashEvent(event: CalendarEvent): string {
  const rule = event.recurrences.filter((line) => !line.startsWith("EXDATE"));
  return shortHash(contentKey(isSeries(event) ? { ...fromFirstSlot(event), recurrences: rule } : event));
}

/** Long enough that nothing is taken for the same by chance. */
export function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}

/** The identity of an event that has none of its own, by its text. Earlier imports have remembered it, too. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
