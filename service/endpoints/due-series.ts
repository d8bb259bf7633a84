import { DAY_MS } from "../../contract/date-time.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { attendeesOf, HORIZON, occurrenceOf } from "../occurrence.js";
import type { EventWithAttendees } from "../store/events.js";
import {
  findSeries,
  listDueCalendars,
  listDueSeries,
  listIdsBeyond,
  replaceOccurrences,
  storeSeries,
} from "../store/series.js";
import type { Store, Transaction } from "../store/store.js";

/** Rows that one turn makes, and series that it continues, at most. Lists show the other occurrences all the same. */
const TURN = { rows: 100, series: 20 } as const;

/**
 * Continues the series of all calendars, as each write does for its own; other nodes may do the same. Each turn is a
 * transaction, so that other writes come in between.
 * @param now milliseconds since the epoch
 * @param signal ends it after a turn
 */
export async function continueAllSeries(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  for (const calendarId of await store.read((db) => listDueCalendars(db, dueBefore(now)))) {
    const scope = [`calendar ${calendarId}`];
    while (await store.write((db) => continueDueSeries(db, calendarId, now), { scope }))
      await yieldToEventLoop(signal);
  }
}

/**
 * Makes occurrences of a calendar that have come before the horizon, if that was not done for a day.
 * @returns whether there may be more
 */
export async function continueDueSeries(db: Transaction, calendarId: string, now: number): Promise<boolean> {
  const due = await listDueSeries(db, { calendarId, time: dueBefore(now), count: TURN.series });
  if (due.length === 0) return false;
  const { nextSlots } = await import("../series-rule.js");
  // Some later occurrences have a row already, such as those with comments.
  const stored = await listIdsBeyond(db, calendarId);
  const added: EventWithAttendees[] = [];
  for (const id of due) {
    const room = TURN.rows - added.length;
    const series = room > 0 ? await findSeries(db, calendarId, id) : undefined;
    if (series === undefined) break;
    const { slots, madeUntil } = nextSlots(series, now + HORIZON, room);
    const made = slots.map((slot) => ({ row: occurrenceOf(series, slot), attendeeIds: attendeesOf(series) }));
    added.push(...made.filter(({ row }) => !stored.has(row.id)));
    await storeSeries(db, { ...series, made_until: madeUntil });
    await yieldToEventLoop();
  }
  await replaceOccurrences(db, { calendarId, removed: [], added, successors: new Map(), now });
  return true;
}

/** A series is due if its occurrences are stored until before this time: a day before the horizon, so that each is continued once a day. */
function dueBefore(now: number): number {
  return now + HORIZON - DAY_MS;
}
