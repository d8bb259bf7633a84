import { SCOPES, type Scope } from "../../contract/extensions.js";
import type { CalendarEvent } from "../../contract/shapes.js";

/** What ids tell of series: an occurrence has the id of its series, then `_` and its start by the rule. @see docs/extensions.md */

/** The values of `--scope`, the widest last. */
export const SCOPE_CHOICES: readonly Scope[] = SCOPES;

type SeriesMember = Pick<CalendarEvent, "id" | "series_id">;

/** Whether an event is a series itself, not one of its occurrences. */
export function isSeries({ id, series_id }: SeriesMember): boolean {
  return id === series_id;
}

/**
 * When an occurrence takes place by the rule of its series, even if it was moved: `20261207T080000Z`, of an all-day event
 * `20261207`. Null for other events, and where a service has other ids.
 */
export function slotOf({ id, series_id }: SeriesMember): string | null {
  const slot = series_id === null || !id.startsWith(`${series_id}_`) ? "" : id.slice(series_id.length + 1);
  return /^\d{8}(?:T\d{6}Z)?$/.test(slot) ? slot : null;
}
