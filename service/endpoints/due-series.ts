import { DAY_MS } from "../../contract/date-time.js";
import { HORIZON } from "../occurrence.js";
import { listSeriesMadeUntil } from "../store/event-windows.js";
import { listDueCalendars } from "../store/series.js";
import type { Store, Transaction } from "../store/store.js";

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

/** Makes the occurrences of a calendar that have come before the horizon, if that was not done for a day. */
export async function continueDueSeries(db: Transaction, calendarId: string, now: number): Promise<void> {
  const due = await listSeriesMadeUntil(db, { calendarId, time: dueBefore(now) });
  if (due.length > 0) await (await import("./series-horizon.js")).storeUntilHorizon(db, due, now);
}

/** A series is due if its occurrences are stored until before this time: a day before the horizon, so that each is continued once a day. */
function dueBefore(now: number): number {
  return now + HORIZON - DAY_MS;
}
