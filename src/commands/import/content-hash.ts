import { createHash } from "node:crypto";
import type { Event, EventDraft, WritableField } from "../../../contract/shapes.js";
import { contentKey, hashedFields } from "../../events/content.js";
import type { Named } from "../../events/names.js";
import { fromFirstSlot, isSeries } from "../../events/repeat/series.js";

/** The same for two versions of a file's event that say the same. Earlier imports have remembered it, so it must not change. */
export function hashContent(content: EventDraft<Named>): string {
  const fields = {
    category: content.category,
    title: content.title,
    all_day: content.all_day ?? false,
    start_at: content.start_at,
    start_timezone: content.start_timezone,
    end_at: content.end_at,
    end_timezone: content.end_timezone,
    description: content.description,
    location: content.location,
    url: content.url,
    label: content.label?.value,
    attendees: content.attendees?.map(({ value }) => value),
    recurrences: content.recurrences,
  } satisfies Record<WritableField, unknown>;
  return shortHash(hashedFields(fields));
}

/** The same for two versions of an event of the calendar that say the same; of a series, whatever its events say on their own. */
export function hashEvent(event: Event): string {
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
