import { listDueCalendars } from "../store/series.js";
import type { Store } from "../store/store.js";
import { continueDueSeries, dueBefore } from "./event-rows.js";

/**
 * Continues the series of all calendars, as each write does for its own; other nodes may do the same.
 * @param now milliseconds since the epoch
 */
export async function continueAllSeries(store: Store, now: number): Promise<void> {
  for (const calendarId of await store.read((db) => listDueCalendars(db, dueBefore(now)))) {
    const scope = [`calendar ${calendarId}`];
    await store.write((db) => continueDueSeries(db, calendarId, now), { scope });
  }
}
