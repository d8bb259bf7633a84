import { DAY_MS } from "../../contract/date-time.js";
import { createEventSearch } from "../../src/events/search.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { windowOfDays } from "../day-window.js";
import { type Cursor, continueCursor, formatCursor, parseCursor } from "../http/cursor.js";
import { badRequest, ProblemError } from "../http/response.js";
import { attendeesOf } from "../occurrence.js";
import { listedActivityResource } from "../resources.js";
import { type ChangesQuery, type EventChange, listChanges as listEventChanges } from "../store/changes.js";
import { wasRead } from "../store/event-moves.js";
import { type ShownEvent, sizeOfEvent } from "../store/events.js";
import {
  EVENTS_AT_A_TIME,
  type EventListQuery,
  type EventPosition,
  type ListedEvent,
  listActivitiesAfter,
  positionOf,
} from "../store/pages.js";
import type { CalendarRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import { type ReadContext, type ReadEndpoint, type Representation, requireCalendar } from "./endpoint.js";
import { eventResources, includeUsers, loadIncluded, requireEvent } from "./event-reads.js";
import { endOfSeries, openEventList, type ReadNext } from "./listed-events.js";

/** Lists in pages, which the contract does not have. @see docs/extensions.md */
export const listReads = { listEvents, listActivities, listChanges } as const satisfies Readonly<
  Record<string, ReadEndpoint>
>;

function listEvents(context: ReadContext): Representation {
  const calendar = requireCalendar(context.access);
  const { id: calendarId, revision } = calendar;
  const { from, to, timezone, search, category, limit, include } = context.query;
  if (from !== null && to !== null && from > to) throw badRequest({ to: ["must not be before from"] });
  const filter = category === null ? {} : { category };
  const list = ["events", calendarId, from, to, timezone, search, ...Object.values(filter)];
  const cursor = readCursor(context, calendar, list);
  const after = cursor === null ? null : { start: cursor.at, id: cursor.id };
  const window = windowOfDays({ from, to, timezone });
  const query = { calendarId, window, after, ...filter };
  // A list without an end shows one more day of a series every day.
  const today = to === null ? Math.floor(context.now / DAY_MS) * DAY_MS : null;
  return {
    revision,
    // The link to the next page has the whole query, also what is ignored.
    version: [list, revision, window, `${context.search}`, today],
    ...(today !== null && { until: today + DAY_MS }),
    async render(db) {
      const readNext = await openEventList(db, query, today === null ? undefined : endOfSeries(today));
      const { rows, last } = await readPage(readNext, query, { cursor, search, limit });
      const data = eventResources(rows);
      const included = await loadIncluded(db, { calendarId, events: data, include });
      const next = last && continueCursor(cursor, { revision, at: last.start, id: last.id });
      // Tells that the parameter was not ignored, as by services of before.
      const meta = category === null ? {} : { meta: filter };
      return {
        data,
        ...included,
        ...linksOf(context, "cursor", next && formatCursor(next, list)),
        ...meta,
      };
    },
  };
}

/**
 * Bytes of the events of a page, and of those that a search goes through for one: well below what clients read, and no
 * request keeps the others waiting, however rare the text is.
 */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Characters that a search compares before others get their turn: a few milliseconds, of the slowest script. */
const SEARCH_SLICE = 65_536;

/** A text with such a character takes ten times as long to compare, or longer. */
const BEYOND_LATIN_1 = /[^\0-\xff]/;

/** What a character of such a text counts, in bytes of MAX_PAGE_BYTES: a page takes tens of milliseconds at most. */
const BYTES_OF_COMPARED = 4;

interface PageOptions {
  /** Null for the first page. What was moved since is left out if it was before it: it may be listed already. */
  readonly cursor: Cursor | null;
  readonly search: string | null;
  readonly limit: number;
}

/** @returns the events, and `last`, the position of the last one that was visited; null at the end of the list */
async function readPage(
  readNext: ReadNext,
  query: EventListQuery,
  { cursor, search, limit }: PageOptions,
): Promise<{ readonly rows: readonly ListedEvent[]; readonly last: EventPosition | null }> {
  const read = cursor === null ? [] : [...cursor.earlier, cursor];
  const compare = createComparison(search, query.category);
  const page = createPage<ListedEvent>(limit, sizeOf);
  let last = query.after;
  let visited = 0;
  for (;;) {
    const batch = await readNext(last);
    for (const row of batch) {
      if (visited >= MAX_PAGE_BYTES) return { rows: page.rows, last };
      const { found, bytes } = await compare(row);
      if (found && !wasRead(row, read) && !page.add(row)) return { rows: page.rows, last };
      last = positionOf(row);
      visited += Math.max(sizeOf(row), bytes);
    }
    if (batch.length < EVENTS_AT_A_TIME) return { rows: page.rows, last: null };
  }
}

/**
 * A search of many events of a category, which lets other requests in between. Every event has the text null. Its `bytes` are
 * what comparing counts of MAX_PAGE_BYTES.
 */
function createComparison(search: string | null, category: EventListQuery["category"]) {
  const isWanted = (row: ListedEvent) => category === undefined || row.category === category;
  if (search === null) return (row: ListedEvent) => ({ found: isWanted(row), bytes: 0 });
  let bytes = 0;
  let compared = 0;
  const matches = createEventSearch(search, (folded) => {
    compared += folded.length;
    if (BEYOND_LATIN_1.test(folded)) bytes += BYTES_OF_COMPARED * folded.length;
  });
  return async (row: ListedEvent) => {
    if (compared >= SEARCH_SLICE) {
      compared = 0;
      await yieldToEventLoop();
    }
    bytes = 0;
    return { found: isWanted(row) && matches(row), bytes };
  };
}

function sizeOf(event: ShownEvent): number {
  return sizeOfEvent(event, attendeesOf(event));
}

/** Collects as many events as a page can have; at least one, however large it is. */
function createPage<T>(limit: number, sizeOfRow: (row: T) => number) {
  const rows: T[] = [];
  let bytes = 0;
  return {
    rows,
    /** Whether there was room. */
    add(row: T): boolean {
      bytes += sizeOfRow(row);
      if (rows.length === limit || (rows.length > 0 && bytes > MAX_PAGE_BYTES)) return false;
      rows.push(row);
      return true;
    },
  };
}

function listActivities(context: ReadContext): Representation {
  const calendar = requireCalendar(context.access);
  const { id: calendarId, revision } = calendar;
  const eventId = context.parameter("event_id");
  const { limit, include } = context.query;
  const list = ["activities", calendarId, eventId];
  const cursor = readCursor(context, calendar, list);
  return {
    version: [list, revision, `${context.search}`],
    async render(db) {
      const event = await requireEvent(db, calendarId, eventId);
      const found = await listActivitiesAfter(db, { event, after: cursor }, limit + 1);
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : null;
      const next = last && continueCursor(cursor, { revision, at: last.created_at, id: last.id });
      const creators = include.has("creator") ? rows.map(({ user_id }) => user_id) : [];
      const included = await includeUsers(db, calendarId, creators);
      return {
        data: rows.map((row) => listedActivityResource(calendarId, row)),
        ...(include.size > 0 && { included }),
        ...linksOf(context, "cursor", next && formatCursor(next, list)),
      };
    },
  };
}

/**
 * The cursor of the request; null for the first page.
 * @throws ProblemError 400, also when the calendar as of the first page is not known any more, as after a restoration
 */
function readCursor(
  { query }: ReadContext,
  { revision, changes_from }: Pick<CalendarRow, "revision" | "changes_from">,
  list: readonly unknown[],
): Cursor | null {
  if (query.cursor === null) return null;
  const cursor = parseCursor(query.cursor, list);
  const [first = cursor] = cursor.earlier;
  if (first.revision < changes_from || cursor.revision > revision) {
    throw badRequest({ cursor: ["has expired; read the list from the first page"] });
  }
  return cursor;
}

/** What changed since a revision. */
function listChanges(context: ReadContext): Representation {
  const { id, revision, changes_from, details_revision } = requireCalendar(context.access);
  const { limit, include } = context.query;
  const since = context.query.since ?? revision;
  if (since < changes_from || since > revision) {
    throw new ProblemError(410, {
      errors: { since: [`is not from ${changes_from} to ${revision}; read the events anew`] },
    });
  }
  return {
    // The link to the next page has the whole query, also what is ignored.
    version: [id, revision, since, `${context.search}`],
    async render(db) {
      const { changes, isLast } = await readChangePage(db, { calendarId: id, since }, limit);
      const data = eventResources(changes.flatMap(({ event }) => event ?? []));
      const reached = isLast ? revision : (changes.at(-1)?.revision ?? revision);
      return {
        data,
        ...(await loadIncluded(db, { calendarId: id, events: data, include })),
        ...linksOf(context, "since", isLast ? null : String(reached)),
        meta: {
          revision: reached,
          deleted: changes.flatMap(({ event, eventId }) => (event === null ? [eventId] : [])),
          details_changed: details_revision > since,
        },
      };
    },
  };
}

async function readChangePage(db: Transaction, place: ChangesQuery, limit: number) {
  const page = createPage<EventChange>(limit, ({ event }) => (event === null ? 0 : sizeOf(event)));
  for (let { since } = place; ; ) {
    const batch = await listEventChanges(db, { ...place, since });
    for (const change of batch) {
      if (!page.add(change)) return { changes: page.rows, isLast: false };
      since = change.revision;
    }
    if (batch.length < EVENTS_AT_A_TIME) return { changes: page.rows, isLast: true };
  }
}

/**
 * The link to the next page: the same query with another value of a parameter; null for none. It is relative to the URL of
 * the request, since a proxy may serve it under another one. @see JSON:API "Pagination", RFC 3986 §5
 */
function linksOf({ search }: ReadContext, name: "cursor" | "since", value: string | null | undefined) {
  if (!value) return { links: { next: null } };
  const parameters = new URLSearchParams(search);
  parameters.set(name, value);
  return { links: { next: `?${parameters}` } };
}
