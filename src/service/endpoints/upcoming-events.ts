import { MAX_DAYS } from "../../contract/limits.js";
import { type DayWindow, includesWindow, overlaps, windowsFrom } from "../day-window.js";
import { createLruCache } from "../lru-cache.js";
import { type EventReferences, joinReferences, referencesOf } from "../resources.js";
import {
  listEventsInWindow,
  readEventsInWindow,
  sizeOfWindow,
  type TimedEvent,
} from "../store/event-windows.js";
import type { CalendarRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";

/** Events of a calendar, ordered by start. */
export interface FoundEvents {
  /** Parts of their JSON, with commas between the events, in UTF-8. */
  readonly json: readonly Uint8Array[];
  references(): EventReferences;
}

export interface UpcomingQuery {
  /** As the transaction sees it. */
  readonly calendar: Pick<CalendarRow, "id" | "revision">;
  readonly window: DayWindow;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Finds the events that overlap a window that begins today. */
export type FindUpcomingEvents = (db: Transaction, query: UpcomingQuery) => Promise<FoundEvents>;

/** Bytes of the events that are kept, and of those of one calendar. */
const KEPT = { total: 32 * 1024 * 1024, single: 1024 * 1024 };

/** What an event takes besides its JSON, and a calendar besides its events, about (bytes). */
const BYTES_OF = { event: 200, calendar: 1000 };

/** The coming days of a calendar. */
interface KeptDays {
  readonly revision: number;
  readonly days: DayWindow;
  /** Undefined as long as they were asked for once; null if they are too large to be kept. */
  readonly events: KeptEvents | null | undefined;
}

interface KeptEvents {
  /** Their JSON with commas between them. */
  readonly json: Uint8Array;
  readonly list: readonly KeptEvent[];
}

interface KeptEvent extends Omit<TimedEvent, "json"> {
  /** Where its JSON is; the end is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly references: EventReferences;
}

/**
 * Keeps the coming days of the calendars that were used last, each as long as its revision is the same, so that windows of
 * other days and timezones need no query of their own. They are read when a calendar is asked for the second time: many an
 * answer is wanted once before the next write.
 */
export function createUpcomingEvents(): FindUpcomingEvents {
  const kept = createLruCache<KeptDays>(KEPT.total, {
    sizeOf: ({ events }) =>
      BYTES_OF.calendar + (events ? events.json.byteLength + BYTES_OF.event * events.list.length : 0),
  });
  return async (db, { calendar: { id, revision }, window, now }) => {
    const known = kept.get(id);
    const isKnown = known?.revision === revision && includesWindow(known.days, window);
    if (isKnown && known.events) return select(known.events, window);
    if (isKnown && known.events === undefined) {
      const events = await readEvents(db, id, known.days);
      kept.set(id, { ...known, events });
      if (events !== null) return select(events, window);
    }
    const json = await readEventsInWindow(db, id, window);
    if (!isKnown) kept.set(id, { revision, days: windowsFrom(now, MAX_DAYS), events: undefined });
    return { json: [Buffer.from(json)], references: () => referencesOf(json) };
  };
}

/** Null if they are too large. */
async function readEvents(db: Transaction, calendarId: string, days: DayWindow): Promise<KeptEvents | null> {
  if ((await sizeOfWindow(db, calendarId, days)) > KEPT.single) return null;
  const events = await listEventsInWindow(db, calendarId, days);
  // Most events refer to the same.
  const references = new Map<string, EventReferences>();
  let next = 0;
  const list = events.map(({ json, ...times }) => {
    const from = next;
    const to = from + Buffer.byteLength(json);
    next = to + 1;
    const own = referencesOf(json);
    const key = JSON.stringify([[...own.creators], [...own.labels], [...own.attendees]]);
    const shared = references.get(key) ?? own;
    references.set(key, shared);
    return { ...times, from, to, references: shared };
  });
  return { json: Buffer.from(events.map(({ json }) => json).join(",")), list };
}

function select({ json, list }: KeptEvents, window: DayWindow): FoundEvents {
  const chosen = list.filter((event) => overlaps(event, window));
  return {
    json: partsOf(chosen).map(({ from, to }) => json.subarray(from, to)),
    references: () => joinReferences(new Set(chosen.map(({ references }) => references))),
  };
}

interface Part {
  readonly from: number;
  to: number;
}

/** Events that follow each other are one part. Each part but the first begins with the comma before it. */
function partsOf(events: readonly Readonly<Part>[]): readonly Part[] {
  const parts: Part[] = [];
  for (const { from, to } of events) {
    const last = parts.at(-1);
    if (last?.to === from - 1) last.to = to;
    else parts.push({ from: last === undefined ? from : from - 1, to });
  }
  return parts;
}
