import { excludedStarts } from "../../../contract/extensions.js";
import { nullOn } from "../../errors.js";
import type { EventAddress, GetEvent } from "../../output/view.js";
import { type LocalizedEvent, localizeEvent } from "../localized-event.js";
import { isSeries, originalStartOf } from "./series.js";

/** Events that are read at the same time, at most. */
const CONCURRENCY = 4;

/**
 * Adds the series of the events, and each occurrence that was changed on its own: a start that the series excepts is in its id. There
 * is no event for the start of a deleted occurrence. If a service does not return the rule of a series, nothing is added.
 */
export async function withSeries(
  events: readonly LocalizedEvent[],
  getEvent: GetEvent,
): Promise<readonly LocalizedEvent[]> {
  const keyOf = ({ calendarId, eventId }: EventAddress) => `${calendarId} ${eventId}`;
  const known = new Map(
    events.map((event) => [keyOf({ calendarId: event.calendar_id, eventId: event.id }), event]),
  );
  const read = async (addresses: readonly EventAddress[]): Promise<readonly LocalizedEvent[]> => {
    const wanted = new Map(addresses.map((address) => [keyOf(address), address]));
    const found = [...wanted.keys()].flatMap((key) => known.get(key) ?? []);
    const unread = [...wanted].flatMap(([key, address]) => (known.has(key) ? [] : [address]));
    while (unread.length > 0) {
      const batch = unread.splice(0, CONCURRENCY);
      const next = await Promise.all(batch.map((address) => getEvent(address).catch(nullOn("not_found"))));
      found.push(...next.flatMap((event) => (event === null ? [] : localizeEvent(event, "UTC"))));
    }
    return found;
  };
  const ofSeries = events.filter((event) => isSeries(event) || originalStartOf(event) !== null);
  const series = await read(
    ofSeries.flatMap(({ calendar_id: calendarId, series_id: eventId }) =>
      eventId === null ? [] : { calendarId, eventId },
    ),
  );
  const told = series.filter(isSeries);
  const exceptions = await read(
    told.flatMap(({ calendar_id: calendarId, id, recurrences }) =>
      excludedStarts(recurrences).map((originalStart) => ({ calendarId, eventId: `${id}_${originalStart}` })),
    ),
  );
  return [...events, ...told, ...exceptions];
}
