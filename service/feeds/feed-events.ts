import { plainId } from "../../contract/ids.js";
import type { EventResource } from "../../contract/resources.js";
import type { CalendarEvent, Label, User } from "../../contract/shapes.js";
import { type LocalizedEvent, localizeEvent } from "../../src/calendar/event-view.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import type { DayWindow } from "../day-window.js";
import { findAnyEvent, listAttendeesOf, loadIncluded } from "../endpoints/event-reads.js";
import type { OpenFeed } from "../store/feeds.js";
import {
  type EventListQuery,
  type EventPosition,
  type ListedEvent,
  listEventsAfter,
  WITHOUT_TIMES,
} from "../store/pages.js";
import { listChangedAlone } from "../store/series.js";
import type { Transaction } from "../store/store.js";

/** Bytes of the events of a feed, as responses of the API have them: it takes a fraction of a second to write as many. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Events that are read at a time, between which other requests get their turn. */
const BATCH = 64;

const INCLUDE = new Set(["creator", "attendees", "label"]);

/** What a feed is answered with. It is rendered only if the client does not have it. */
export interface FeedRepresentation {
  /** What it depends on besides the feed and its calendars. */
  readonly version: readonly unknown[];
  /** Reads what it needs, and gives what writes it: others need not wait for that with their transactions. */
  read(db: Transaction): Promise<() => FeedContent | Promise<FeedContent>>;
}

interface FeedContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a feed shows on the days of a window, and whether later events of a calendar do not fit: each has the same room. */
export async function readFeed(db: Transaction, { feed, calendars }: OpenFeed, window: DayWindow) {
  const shown: LocalizedEvent[] = [];
  let isAnyCut = false;
  for (const { id: calendarId, name } of calendars) {
    const query = { calendarId, window, maxBytes: MAX_BYTES / calendars.length };
    const { events, isCut } = await readCalendar(db, query);
    const visible = feed.busy_only === 0 ? events : events.flatMap(busyTimes);
    shown.push(...visible.map((event) => localizeEvent(event, feed.timezone, name)));
    isAnyCut ||= isCut;
  }
  return { events: shown, isCut: isAnyCut };
}

interface CalendarQuery extends Pick<EventListQuery, "calendarId" | "window"> {
  readonly maxBytes: number;
}

async function readCalendar(db: Transaction, { maxBytes, ...query }: CalendarQuery) {
  const events: CalendarEvent[] = [];
  let bytes = 0;
  for (let after: EventPosition | null = null; ; ) {
    const rows = await listEventsAfter(db, { ...query, after }, BATCH);
    const last = rows.at(-1);
    if (last === undefined) return { events, isCut: false };
    bytes += rows.reduce((sum, row) => sum + row.bytes, 0);
    if (bytes > maxBytes) return { events, isCut: true };
    events.push(...(await readEvents(db, query.calendarId, rows)));
    after = { start: last.start_at ?? WITHOUT_TIMES, id: last.id };
    await yieldToEventLoop();
  }
}

/** The events of a feed with the series that they are of, and all that was changed on its own in these. */
export async function withSeries(
  db: Transaction,
  { feed }: OpenFeed,
  events: readonly LocalizedEvent[],
): Promise<readonly LocalizedEvent[]> {
  const added: LocalizedEvent[] = [];
  const ids = new Map(events.map(({ series_id, ...event }) => [series_id, event]));
  for (const [seriesId, { calendar_id, calendar_name }] of ids) {
    const row = seriesId === null ? undefined : await findAnyEvent(db, calendar_id, seriesId);
    if (seriesId === null || row === undefined) continue;
    const series = { ...row, attendeeIds: await listAttendeesOf(db, row) };
    const changed = row.recurrences.includes("EXDATE") ? await listChangedAlone(db, seriesId) : [];
    for (const event of await readEvents(db, calendar_id, [series, ...changed]))
      added.push(localizeEvent(event, feed.timezone, calendar_name));
  }
  return [...events, ...added];
}

/** Events as clients read them, with the names of what they refer to. */
async function readEvents(
  db: Transaction,
  calendarId: string,
  rows: readonly ListedEvent[],
): Promise<CalendarEvent[]> {
  const { included = [] } = await loadIncluded(db, { calendarId, events: rows, include: INCLUDE });
  const users = new Map<string, User>();
  const labels = new Map<string, Label>();
  for (const { id, type, attributes } of included) {
    if (type === "user") users.set(id, { id, type, ...attributes });
    else labels.set(id, { id, number: Number(plainId(id)), ...attributes });
  }
  return rows.map(({ json }) => {
    const { id, attributes, relationships } = JSON.parse(json) as EventResource;
    const { recurring_uuid: series_id = null, ...content } = attributes;
    return {
      id,
      calendar_id: calendarId,
      ...content,
      creator: users.get(relationships.creator.data.id) ?? null,
      label: labels.get(relationships.label.data.id) ?? null,
      attendees: relationships.attendees.data.flatMap((user) => users.get(user.id) ?? []),
      series_id,
    };
  });
}

/** The times of an event alone, even if it repeats; none of one that lasts all day, or is a keep. */
function busyTimes(event: CalendarEvent): readonly CalendarEvent[] {
  if (event.all_day === true || event.category === "keep") return [];
  const zones = { start_timezone: "UTC", end_timezone: "UTC" };
  const texts = { title: "Busy", description: "", location: "", url: "", created_at: null };
  const single = { recurrences: [], series_id: null };
  return [{ ...event, ...zones, ...texts, ...single, creator: null, label: null, attendees: [] }];
}
