import { plainId } from "../../contract/ids.js";
import type { EventResource } from "../../contract/resources.js";
import type { Event, Label, User } from "../../contract/shapes.js";
import { type LocalizedEvent, localizeEvent } from "../../src/events/localized-event.js";
import { inSlices, yieldToEventLoop } from "../../src/system/clock.js";
import { localDate } from "../../src/time/zoned-time.js";
import type { DayWindow } from "../day-window.js";
import { eventResources, loadIncluded } from "../endpoints/event-reads.js";
import { openUnstored } from "../endpoints/listed-events.js";
import { attendeesOf, occurrenceOf } from "../occurrence.js";
import { hashSecret } from "../secrets.js";
import { type ShownEvent, sizeOfEvent } from "../store/events.js";
import {
  type FeedEntry,
  type FeedEntryQuery,
  listChangedOccurrences,
  listEventsOfFeed,
  listFeedEntries,
  listSeriesOfFeed,
} from "../store/feed-entries.js";
import type { OpenFeed } from "../store/feeds.js";
import type { Transaction } from "../store/store.js";

/** Bytes of the events of a feed, as responses of the API have them. */
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

/** Which events of its calendars a feed shows. */
export interface FeedQuery {
  /** If not all events fit, those of the first window are kept. */
  readonly windows: readonly FeedWindow[];
  /** Events at most. */
  readonly limit: number;
  /** Whether each series is shown once, with the occurrences that were changed on their own, instead of every occurrence. */
  readonly wholeSeries: boolean;
}

interface FeedWindow extends DayWindow {
  /** Whether the latest are kept if not all fit; otherwise the earliest. */
  readonly latestFirst: boolean;
}

/** The start of the nearest event that does not fit (ms), of later and of earlier ones; null if all fit. */
export interface LeftOut {
  readonly later: number | null;
  readonly earlier: number | null;
}

/** The events that a feed shows, and from when on some do not fit. */
export async function readFeed(db: Transaction, found: OpenFeed, query: FeedQuery) {
  const { feed, calendars } = found;
  const room = createRoom(query.limit);
  const entries = await chooseEntries(db, found, { ...query, room });
  const names = new Map(calendars.map(({ id, name }) => [id, name]));
  const busy = hashSecret(`busy ${feed.id}`).slice(0, 16);
  const shown = new Map<string, LocalizedEvent>();
  const show = async (rows: readonly ShownEvent[]) => {
    for (const event of await readEvents(db, rows)) {
      const seen = feed.busy_only === 0 ? event : busyTime(event, busy);
      const name = names.get(event.calendar_id) ?? null;
      shown.set(seen.id, localizeEvent(seen, feed.timezone, feed.busy_only === 0 ? name : null));
    }
    await yieldToEventLoop();
  };
  const idsOf = (isSeries: boolean) =>
    entries.filter((entry) => entry.isSeries === isSeries && entry.row === undefined).map(({ id }) => id);
  for (const rows of inBatches(entries.flatMap(({ row }) => row ?? []))) await show(rows);
  for (const ids of inBatches(idsOf(false))) await show(await listEventsOfFeed(db, ids));
  const starts = new Map(entries.map(({ id, start }) => [id, start]));
  const known = new Set(starts.keys());
  for (const ids of inBatches(idsOf(true))) {
    const series = await listSeriesOfFeed(db, ids);
    await show(series.map((one) => rowOfSeries(one, starts.get(one.id))));
    for (const changed of inBatches(await chooseChanged(db, ids, { known, room })))
      await show(await listEventsOfFeed(db, changed));
  }
  return { events: [...shown.values()].sort(compareStarts), leftOut: room.leftOut };
}

function compareStarts(one: LocalizedEvent, other: LocalizedEvent): number {
  return compareText(one.start_at ?? "", other.start_at ?? "") || compareText(one.id, other.id);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** A sentence about the events that do not fit; empty if all fit. */
export function describeLeftOut({ later, earlier }: LeftOut, timezone: string): string {
  const dates = [
    ...(later === null ? [] : [`from ${localDate(later, timezone)} on`]),
    ...(earlier === null ? [] : [`up to ${localDate(earlier, timezone)}`]),
  ];
  return dates.length === 0 ? "" : `Not all events fit: some ${dates.join(" and some ")} are missing.`;
}

/** Counts the events of a feed, and remembers from when on some do not fit. */
function createRoom(limit: number) {
  const leftOut = { later: null as number | null, earlier: null as number | null };
  let [count, bytes] = [0, 0];
  return {
    leftOut: leftOut as LeftOut,
    take(entry: Pick<FeedEntry, "start" | "bytes">, side: keyof LeftOut = "later"): boolean {
      if (count < limit && bytes + entry.bytes <= MAX_BYTES) {
        count += 1;
        bytes += entry.bytes;
        return true;
      }
      leftOut[side] ??= entry.start;
      return false;
    },
  };
}

type Room = ReturnType<typeof createRoom>;

/** The entries of the first window that fit, then those of the others. */
async function chooseEntries(
  db: Transaction,
  { feed, calendars }: OpenFeed,
  { windows, limit, wholeSeries, room }: FeedQuery & { readonly room: Room },
): Promise<readonly ChosenEntry[]> {
  const busyOnly = feed.busy_only === 1;
  const chosen = new Map<string, ChosenEntry>();
  for (const window of windows) {
    const { latestFirst } = window;
    let nearest: ChosenEntry[] = [];
    for (const { id: calendarId } of calendars) {
      const options = { calendarId, window, latestFirst, limit: limit + 1, pause: yieldToEventLoop };
      const kinds = { busyOnly, wholeSeries: wholeSeries && !busyOnly };
      const stored = await listFeedEntries(db, { ...options, ...kinds });
      const known = new Set([...chosen.keys(), ...stored.map(({ id }) => id)]);
      const unstored = await listUnstoredEntries(db, { ...options, ...kinds });
      const others = [
        ...stored.filter(({ id }) => !chosen.has(id)),
        ...unstored.filter(({ id }) => !known.has(id)),
      ];
      nearest = inOrder([...nearest, ...others], latestFirst).slice(0, limit + 1);
      await yieldToEventLoop();
    }
    const end = nearest.findIndex((entry) => !room.take(entry, latestFirst ? "earlier" : "later"));
    for (const entry of end === -1 ? nearest : nearest.slice(0, end)) chosen.set(entry.id, entry);
  }
  return [...chosen.values()];
}

/** Ids of the occurrences of some series that were changed on their own, those that fit. @param known those that are shown already */
async function chooseChanged(
  db: Transaction,
  seriesIds: readonly string[],
  { known, room }: { readonly known: ReadonlySet<string>; readonly room: Room },
): Promise<readonly string[]> {
  const chosen: string[] = [];
  for await (const seriesId of inSlices(seriesIds)) {
    const changed = (await listChangedOccurrences(db, seriesId)).filter(({ id }) => !known.has(id));
    const fitting = changed.filter(({ start_at, bytes }) => room.take({ start: start_at ?? 0, bytes }));
    chosen.push(...fitting.map(({ id }) => id));
  }
  return chosen;
}

/** An entry, with its event if that has no row. */
interface ChosenEntry extends FeedEntry {
  readonly row?: ShownEvent;
}

/** The entries of occurrences that have no row yet, or of their series. */
async function listUnstoredEntries(
  db: Transaction,
  { calendarId, window, wholeSeries, busyOnly, latestFirst, limit }: FeedEntryQuery,
): Promise<readonly ChosenEntry[]> {
  const found: ChosenEntry[] = [];
  const query = { calendarId, window, after: null, onlyFirst: wholeSeries };
  for await (const row of (await openUnstored(db, query)) ?? []) {
    const { id, series_id, start_at, all_day, category } = row;
    if (busyOnly && (all_day === 1 || category === "keep")) continue;
    const entry = { calendarId, start: start_at ?? 0, bytes: sizeOfEvent(row, attendeesOf(row)) };
    found.push(
      wholeSeries
        ? { ...entry, id: series_id ?? id, isSeries: true }
        : { ...entry, id, isSeries: false, row },
    );
    if (found.length > limit) {
      if (!latestFirst) break;
      found.shift();
    }
  }
  return found;
}

function inOrder(entries: readonly ChosenEntry[], latestFirst: boolean): ChosenEntry[] {
  const compare = (one: FeedEntry, other: FeedEntry) =>
    one.start - other.start || compareText(one.id, other.id);
  return entries.toSorted((one, other) => (latestFirst ? compare(other, one) : compare(one, other)));
}

function* inBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let index = 0; index < items.length; index += BATCH) yield items.slice(index, index + BATCH);
}

/** A series as an event: the first occurrence of its rule that is a row, else the one at `start`, with all its lines. */
function rowOfSeries(
  { first, ...series }: Awaited<ReturnType<typeof listSeriesOfFeed>>[number],
  start = 0,
): ShownEvent {
  const { id, recurrences, attendees, modified_at: updated_at } = series;
  return { ...occurrenceOf(series, first ?? start), id, recurrences, attendees, updated_at };
}

/** Events as clients read them, with the names of what they refer to. */
async function readEvents(db: Transaction, rows: readonly ShownEvent[]): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (const calendarId of new Set(rows.map(({ calendar_id }) => calendar_id))) {
    const own = rows.filter(({ calendar_id }) => calendar_id === calendarId);
    const resources = eventResources(own);
    const { included = [] } = await loadIncluded(db, { calendarId, events: resources, include: INCLUDE });
    const users = new Map<string, User>();
    const labels = new Map<string, Label>();
    for (const { id, type, attributes } of included) {
      if (type === "user") users.set(id, { id, type, ...attributes });
      else labels.set(id, { id, number: Number(plainId(id)), ...attributes });
    }
    events.push(...resources.map((event) => eventOf(event, { calendarId, users, labels })));
  }
  return events;
}

interface Names {
  readonly calendarId: string;
  readonly users: ReadonlyMap<string, User>;
  readonly labels: ReadonlyMap<string, Label>;
}

function eventOf({ id, attributes, relationships }: EventResource, names: Names): Event {
  const { recurring_uuid: series_id = null, ...content } = attributes;
  const { calendarId, users, labels } = names;
  return {
    id,
    calendar_id: calendarId,
    ...content,
    creator: users.get(relationships.creator.data.id) ?? null,
    label: labels.get(relationships.label.data.id) ?? null,
    attendees: relationships.attendees.data.flatMap((user) => users.get(user.id) ?? []),
    series_id,
  };
}

/**
 * A time when somebody is busy, without anything that tells which times belong together, how an event was moved or when it was
 * written. Equal times are one, since the id is made from the time.
 * @param calendarId the same for all times
 */
function busyTime({ start_at, end_at, category, all_day }: Event, calendarId: string): Event {
  return {
    id: [start_at, end_at].map((time) => (time ?? "").replace(/[-:.]/g, "")).join("-"),
    calendar_id: calendarId,
    ...{ category, all_day, start_at, end_at, start_timezone: "UTC", end_timezone: "UTC" },
    ...{ title: "Busy", description: "", location: "", url: "" },
    ...{ created_at: null, updated_at: null, recurrences: [], series_id: null },
    ...{ creator: null, label: null, attendees: [] },
  };
}
