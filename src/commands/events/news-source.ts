import type { CalendarEvent } from "../../../contract/shapes.js";
import {
  type Fates,
  isSameDays,
  listSeenAndWritten,
  type SeenCalendar,
  type SeenDays,
} from "../../calendar/event-changes.js";
import type { Context } from "../../context.js";
import { type OpenEvents, onePage } from "./event-source.js";

/** A calendar as it was read. */
export interface CalendarVersion {
  /** Since which the service tells what changed; null if it does not. */
  readonly revision: number | null;
  /** Of the events that were written since the last run; empty if all were listed. */
  readonly fates: Fates;
}

export interface NewsSource {
  readonly open: OpenEvents;
  /** By id of the calendar, once it was opened. */
  readonly versions: ReadonlyMap<string, CalendarVersion>;
}

/**
 * Reads the events of the days. Where the service tells what changed since the last run, and the days are the same, only
 * that is asked for.
 */
export function createNewsSource(
  { api }: Pick<Context, "api">,
  { days, count }: { readonly days: SeenDays; readonly count: number },
  before: readonly (SeenCalendar & { readonly id: string })[],
): NewsSource {
  const seen = new Map(before.map((calendar) => [calendar.id, calendar]));
  const versions = new Map<string, CalendarVersion>();
  return {
    versions,
    async open(calendarId) {
      const client = await api();
      const known = seen.get(calendarId);
      const since = isSameDays(known?.days ?? null, days) ? known?.revision : undefined;
      const changes = since === undefined ? null : await client.listChanges({ calendarId, since });
      // With other labels, other events may match.
      if (known !== undefined && changes !== null && !changes.detailsChanged) {
        const { events, deleted, revision } = changes;
        const fates = new Map<string, CalendarEvent | null>(events.map((event) => [event.id, event]));
        for (const id of deleted) fates.set(id, null);
        versions.set(calendarId, { revision, fates });
        return onePage(listSeenAndWritten(known, days, fates));
      }
      const { events, revision } = await client.listUpcomingEvents({
        ...{ calendarId, days: count },
        timezone: days.zone,
      });
      versions.set(calendarId, { revision, fates: new Map() });
      return onePage(events);
    },
  };
}
