import { createEventSearch } from "../../calendar/event-search.js";
import { windowOfDays } from "../day-window.js";
import { CURSOR_LIFETIME, type Cursor, formatCursor, parseCursor } from "../http/cursor.js";
import { badRequest } from "../http/response.js";
import { listedActivityResource, referencesOf } from "../resources.js";
import { listActivitiesAfter } from "../store/activities.js";
import {
  type EventListQuery,
  type EventPosition,
  type ListedEvent,
  listEventsAfter,
} from "../store/event-pages.js";
import type { Transaction } from "../store/store.js";
import { type Answer, type EndpointContext, type ReadEndpoint, requireCalendar } from "./endpoint.js";
import { jsonArray, jsonDocument, loadIncluded, requireEvent } from "./event-reads.js";

/** Lists in pages, which the contract does not have. @see docs/extensions.md */
export const listReads = { listEvents, listActivities } as const satisfies Readonly<
  Record<string, ReadEndpoint>
>;

/** The link to the next page is renewed this often (ms): well before the cursor in it expires. */
const LINK_RENEWAL = CURSOR_LIFETIME / 2;

async function listEvents(context: EndpointContext): Promise<Answer> {
  const calendar = await requireCalendar(context);
  const { id: calendarId, revision } = calendar;
  const { from, to, timezone, search, limit } = context.query;
  if (from !== null && to !== null && from > to) throw badRequest({ to: ["must not be before from"] });
  const list = ["events", calendarId, from, to, timezone, search];
  const cursor = readCursor(context, list);
  const after = cursor === null ? null : { start: cursor.at, id: cursor.id };
  const since = cursor?.since ?? context.now;
  const query = { calendarId, window: windowOfDays({ from, to, timezone }), after, since };
  return {
    revision,
    version: [list, revision, query.window, linkVersion(context, cursor)],
    until: endOf(context, cursor),
    async render() {
      const { rows, last } = await readPage(context.db, query, { search, limit });
      const data = jsonArray(rows);
      const included = await loadIncluded(context, calendar, () => referencesOf(data));
      const next = last === null ? null : { since, at: last.start, id: last.id };
      return jsonDocument(data, included, linksOf(context, next, list));
    },
  };
}

/**
 * Bytes of the events of a page, and of those that a search goes through for one: well below what clients read, and no
 * request keeps the others waiting, however rare the text is.
 */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Events that are read at a time. As many of the largest have about MAX_PAGE_BYTES. */
export const BATCH = 64;

interface EventPage {
  readonly rows: readonly ListedEvent[];
  /** The last event that was visited; null at the end of the list. */
  readonly last: EventPosition | null;
}

async function readPage(
  db: Transaction,
  query: EventListQuery,
  { search, limit }: { readonly search: string | null; readonly limit: number },
): Promise<EventPage> {
  const matches = search === null ? () => true : createEventSearch(search);
  const page = createPage<ListedEvent>(limit);
  let last = query.after;
  let visited = 0;
  for (;;) {
    const batch = await listEventsAfter(db, { ...query, after: last }, BATCH);
    for (const row of batch) {
      if (visited >= MAX_PAGE_BYTES || (matches(row) && !page.add(row))) return { rows: page.rows, last };
      last = { start: row.start_at ?? 0, id: row.id };
      visited += row.bytes;
    }
    if (batch.length < BATCH) return { rows: page.rows, last: null };
  }
}

/** Collects as many events as a page can have; at least one, however large it is. */
export function createPage<T extends { readonly bytes: number }>(limit: number) {
  const rows: T[] = [];
  let bytes = 0;
  return {
    rows,
    /** Whether there was room. */
    add(row: T): boolean {
      bytes += row.bytes;
      if (rows.length === limit || (rows.length > 0 && bytes > MAX_PAGE_BYTES)) return false;
      rows.push(row);
      return true;
    },
  };
}

async function listActivities(context: EndpointContext): Promise<Answer> {
  const calendar = await requireCalendar(context);
  const { id: calendarId, revision } = calendar;
  const { id: eventId } = await requireEvent(context, calendarId);
  const { limit, include } = context.query;
  const list = ["activities", calendarId, eventId];
  const cursor = readCursor(context, list);
  const since = cursor?.since ?? context.now;
  return {
    version: [list, revision, linkVersion(context, cursor)],
    until: endOf(context, cursor),
    async render() {
      const found = await listActivitiesAfter(context.db, { eventId, after: cursor }, limit + 1);
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      const next = last === undefined ? null : { since, at: last.created_at, id: last.id };
      const creators = include.has("creator") ? rows.map(({ user_id }) => user_id) : [];
      const included = await context.caches.findDetails(calendar).users(context.db, creators);
      return jsonDocument(
        JSON.stringify(rows.map((row) => listedActivityResource(calendarId, row))),
        include.size > 0 ? { included } : {},
        linksOf(context, next, list),
      );
    },
  };
}

/** What the link to the next page depends on: it has the whole query of the request, also what is ignored, and is renewed. */
function linkVersion({ search, now }: EndpointContext, cursor: Cursor | null): readonly unknown[] {
  return [`${search}`, cursor ?? Math.floor(now / LINK_RENEWAL)];
}

/** When the cursor of the request expires, or the one in the answer is renewed (ms since the epoch). */
function endOf({ now }: EndpointContext, cursor: Cursor | null): number {
  if (cursor !== null) return cursor.since + CURSOR_LIFETIME + 1;
  return (Math.floor(now / LINK_RENEWAL) + 1) * LINK_RENEWAL;
}

/** The cursor of the request; null for the first page. @throws ProblemError 400 */
function readCursor({ query, now }: EndpointContext, list: readonly unknown[]): Cursor | null {
  return query.cursor === null ? null : parseCursor(query.cursor, list, now);
}

/**
 * The link to the next page: the same query with another cursor. It is relative to the URL of the request, since a proxy
 * may serve it under another one. @see JSON:API "Pagination", RFC 3986 §5
 */
function linksOf({ search }: EndpointContext, next: Cursor | null, list: readonly unknown[]) {
  if (next === null) return { links: { next: null } };
  const parameters = new URLSearchParams(search);
  parameters.set("cursor", formatCursor(next, list));
  return { links: { next: `?${parameters}` } };
}
