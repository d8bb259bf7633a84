import { MAX_DAYS } from "../../contract/limits.js";
import { coveringWindow, type DayWindow, includesWindow, overlapsWindow } from "../day-window.js";
import { createLruCache } from "../lru-cache.js";
import { type EventReferences, joinReferences, referencesOf, relationshipsOf } from "../resources.js";
import {
  type EventInWindow,
  listEventsInWindow,
  readEventsInWindow,
  sizeOfEventsInWindow,
} from "../store/event-windows.js";
import type { CalendarRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";

/** Events of a calendar, ordered by start. */
export interface UpcomingEvents {
  /** Their JSON in UTF-8, with commas between them, in one or more pieces. */
  readonly json: readonly Uint8Array[];
  references(): EventReferences;
}

export interface UpcomingEventsQuery {
  /** As the transaction sees it. */
  readonly calendar: Pick<CalendarRow, "id" | "revision">;
  readonly window: DayWindow;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Finds the events that overlap a window that begins today. */
export type FindUpcomingEvents = (db: Transaction, query: UpcomingEventsQuery) => Promise<UpcomingEvents>;

/** Bytes of all cached events, and of those of one calendar. */
const MAX_BYTES = { total: 32 * 1024 * 1024, calendar: 1024 * 1024 };

/** What takes memory besides the JSON of events, about (bytes): an id is one that events refer to. */
const OVERHEAD = { calendar: 1500, event: 200, references: 700, id: 100 };

/** The coming days of a calendar. */
interface CachedDays {
  readonly revision: number;
  readonly window: DayWindow;
  /** Undefined until the calendar is asked for a second time; null if they are too large to be cached. */
  readonly events: CachedEvents | null | undefined;
}

interface CachedEvents {
  /** Their JSON in UTF-8, with commas between them. */
  readonly json: Uint8Array;
  readonly list: readonly CachedEvent[];
  /** In memory, about (bytes). */
  readonly size: number;
}

interface CachedEvent extends Omit<EventInWindow, "json">, Readonly<ByteRange> {
  readonly references: EventReferences;
}

/** A part of the JSON. The end is exclusive. */
interface ByteRange {
  from: number;
  to: number;
}

/**
 * Caches the coming days of calendars, each as long as its revision is the same, so that windows of other days and
 * timezones need no query of their own. The days are read when a calendar is asked for a second time, since many an answer
 * is wanted only once before the next write.
 */
export function createUpcomingEventsCache(): FindUpcomingEvents {
  const cache = createLruCache<CachedDays>(MAX_BYTES.total, {
    sizeOf: ({ events }) => OVERHEAD.calendar + (events?.size ?? 0),
  });
  return async (db, { calendar: { id, revision }, window, now }) => {
    const cached = cache.get(id);
    if (cached?.revision !== revision || !includesWindow(cached.window, window)) {
      const found = await queryWindow(db, id, window);
      cache.set(id, { revision, window: coveringWindow(now, MAX_DAYS), events: undefined });
      return found;
    }
    let { events } = cached;
    if (events === undefined) {
      events = await readDays(db, id, cached.window);
      cache.set(id, { ...cached, events });
    }
    return events === null ? queryWindow(db, id, window) : selectWindow(events, window);
  };
}

async function queryWindow(db: Transaction, calendarId: string, window: DayWindow): Promise<UpcomingEvents> {
  const json = await readEventsInWindow(db, calendarId, window);
  return { json: [Buffer.from(json)], references: () => referencesOf(json) };
}

/** Null if they are too large. */
async function readDays(
  db: Transaction,
  calendarId: string,
  window: DayWindow,
): Promise<CachedEvents | null> {
  if ((await sizeOfEventsInWindow(db, calendarId, window)) > MAX_BYTES.calendar) return null;
  const events = await listEventsInWindow(db, calendarId, window);
  // Most events refer to the same users and label, which then take memory once.
  const references = new Map<string, EventReferences>();
  let next = 0;
  const list = events.map(({ allDay, start, end, json }) => {
    const from = next;
    const to = from + Buffer.byteLength(json);
    // After the comma.
    next = to + 1;
    const relationships = relationshipsOf(json);
    const shared = references.get(relationships) ?? copyReferences(referencesOf(relationships));
    references.set(relationships, shared);
    // Properties are named: an object into which another one is spread takes three times the memory.
    return { allDay, start, end, from, to, references: shared };
  });
  // Unlike a small Buffer, it does not share its memory with others.
  const json = new TextEncoder().encode(events.map((event) => event.json).join(","));
  const size = [...references.values()].reduce(
    (sum, some) => sum + sizeOfReferences(some),
    json.byteLength + OVERHEAD.event * list.length,
  );
  return { json, list, size };
}

/** Ids that were read from the JSON of an event are parts of it, and would keep all of it in memory; these are not. */
function copyReferences({ creators, labels, attendees }: EventReferences): EventReferences {
  return { creators: copyIds(creators), labels, attendees: copyIds(attendees) };
}

function copyIds(ids: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(JSON.parse(JSON.stringify([...ids])));
}

function sizeOfReferences({ creators, labels, attendees }: EventReferences): number {
  return OVERHEAD.references + OVERHEAD.id * (creators.size + labels.size + attendees.size);
}

function selectWindow({ json, list }: CachedEvents, window: DayWindow): UpcomingEvents {
  const events = list.filter((event) => overlapsWindow(event, window));
  return {
    json: joinRanges(events).map(({ from, to }) => json.subarray(from, to)),
    references: () => joinReferences(new Set(events.map(({ references }) => references))),
  };
}

/** Joins events that follow each other. Each range but the first begins with the comma before its first event. */
function joinRanges(events: readonly Readonly<ByteRange>[]): readonly ByteRange[] {
  const ranges: ByteRange[] = [];
  for (const { from, to } of events) {
    const last = ranges.at(-1);
    if (last?.to === from - 1) last.to = to;
    else ranges.push({ from: last === undefined ? from : from - 1, to });
  }
  return ranges;
}
