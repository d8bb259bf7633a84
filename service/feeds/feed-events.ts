import { compositeId, plainId } from "../../contract/ids.js";
import type { EventResource } from "../../contract/resources.js";
import type { CalendarEvent, Label, User } from "../../contract/shapes.js";
import { type LocalizedEvent, localizeEvent } from "../../src/calendar/event-view.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import type { DayWindow } from "../day-window.js";
import { listLabels } from "../store/calendars.js";
import type { FeedCalendar, OpenFeed } from "../store/feeds.js";
import { type EventPosition, listEventsAfter, WITHOUT_TIMES } from "../store/pages.js";
import type { Transaction } from "../store/store.js";
import { listUsers } from "../store/users.js";

/** Bytes of the events of a feed, as responses of the API have them: it takes a fraction of a second to write as many. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Events that are read at a time, between which other requests get their turn. */
const BATCH = 64;

/** What a feed is answered with. It is rendered only if the client does not have it. */
export interface FeedRepresentation {
  /** What it depends on besides the feed and its calendars. */
  readonly version: readonly unknown[];
  render(
    db: Transaction,
  ): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: string }>;
}

/** Events of a calendar on the days of a window, by start. */
export interface FeedPart {
  readonly calendar: FeedCalendar;
  readonly events: readonly LocalizedEvent[];
  /** Whether later ones do not fit. */
  readonly isCut: boolean;
}

/** What a feed shows of each of its calendars; all of them may be equally large. */
export async function readFeed(
  db: Transaction,
  { feed, calendars }: OpenFeed,
  window: DayWindow,
): Promise<readonly FeedPart[]> {
  const isBusyOnly = feed.busy_only === 1;
  const parts: FeedPart[] = [];
  for (const calendar of calendars) {
    const query = { calendar, window, maxBytes: MAX_BYTES / calendars.length };
    const { events, isCut } = await readEvents(db, query);
    const shown = isBusyOnly ? events.filter(isBusyTime).map(busyTime) : events;
    const localized = shown.map((event) => localizeEvent(event, feed.timezone, calendar.name));
    parts.push({ calendar, events: localized, isCut });
  }
  return parts;
}

interface EventQuery extends Pick<FeedPart, "calendar"> {
  readonly window: DayWindow;
  readonly maxBytes: number;
}

/** The events of a calendar by start, and whether there are more than may be read. */
async function readEvents(db: Transaction, { calendar, window, maxBytes }: EventQuery) {
  const read = createEventReader(db, calendar.id);
  const events: CalendarEvent[] = [];
  let bytes = 0;
  for (let after: EventPosition | null = null; ; ) {
    const rows = await listEventsAfter(db, { calendarId: calendar.id, window, after }, BATCH);
    const last = rows.at(-1);
    if (last === undefined) return { events, isCut: false };
    bytes += rows.reduce((sum, row) => sum + row.bytes, 0);
    if (bytes > maxBytes) return { events, isCut: true };
    events.push(...(await read(rows)));
    after = { start: last.start_at ?? WITHOUT_TIMES, id: last.id };
    await yieldToEventLoop();
  }
}

function isBusyTime({ all_day, category }: CalendarEvent): boolean {
  return all_day !== true && category !== "keep";
}

/** The times of an event alone. */
function busyTime(event: CalendarEvent): CalendarEvent {
  return {
    ...event,
    title: "Busy",
    start_timezone: "UTC",
    end_timezone: "UTC",
    ...{ description: "", location: "", url: "", created_at: null },
    ...{ creator: null, label: null, attendees: [] },
  };
}

/** Reads events as clients do, with the names of what they refer to. */
function createEventReader(db: Transaction, calendarId: string) {
  const users = new Map<string, User>();
  const labels = new Map<string, Label>();
  const loadUsers = async (ids: readonly string[]) => {
    for (const { id, ...user } of await listUsers(
      db,
      ids.filter((each) => !users.has(each)),
    )) {
      const { name, description, image_url } = user;
      users.set(id, { id: compositeId(calendarId, id), type: "user", name, description, image_url });
    }
  };
  return async (rows: readonly { readonly json: string }[]): Promise<CalendarEvent[]> => {
    if (labels.size === 0) {
      for (const { number, name, color } of await listLabels(db, [calendarId])) {
        const id = compositeId(calendarId, String(number));
        labels.set(id, { id, number, name, color });
      }
    }
    const resources = rows.map(({ json }) => JSON.parse(json) as EventResource);
    const usersOf = ({ relationships: { creator, attendees } }: EventResource) =>
      [creator.data, ...attendees.data].map(({ id }) => plainId(id));
    await loadUsers(resources.flatMap(usersOf));
    return resources.map((resource) => {
      const [creator, ...attendees] = usersOf(resource).map((id) => users.get(id));
      return {
        id: resource.id,
        calendar_id: calendarId,
        ...resource.attributes,
        creator: creator ?? null,
        label: labels.get(resource.relationships.label.data.id) ?? null,
        attendees: attendees.filter((user) => user !== undefined),
      };
    });
  };
}
