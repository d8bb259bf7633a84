import { DAY_MS, dateToInstant } from "../../contract/date-time.js";
import { compositeId, plainId } from "../../contract/ids.js";
import { CATEGORIES, type Category, type Event, type User } from "../../contract/shapes.js";
import { localDate, wallClockAt } from "../time/zoned-time.js";
import { readSpan, readStart } from "./times.js";

/** Position of an event in a list. */
interface SortKey {
  /** The first listed day of the event, in days since the Unix epoch. */
  readonly day: number;
  readonly allDay: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly start: number;
}

export interface SortOptions {
  readonly zone: string;
  /** `YYYY-MM-DD`; an event that started before counts as starting on it. Null if there is no first day. */
  readonly firstDay: string | null;
}

/**
 * Sorts events by the day they start in the zone, all-day ones first, then by start, title and id. Those without times
 * come last.
 */
export function sortEvents<T extends Event>(events: readonly T[], options: SortOptions): T[] {
  return sortKeyed(events.map(createKeyReader(options))).map(({ event }) => event);
}

/** An event and its position in a list, null for one without a readable start. */
export interface KeyedEvent<T extends Event> {
  readonly event: T;
  readonly key: SortKey | null;
}

/** Returns events with their positions, computed once so that comparing is cheap. */
function createKeyReader({ zone, firstDay }: SortOptions) {
  const first = firstDay === null ? Number.NEGATIVE_INFINITY : dayOf(dateToInstant(firstDay));
  return <T extends Event>(event: T): KeyedEvent<T> => {
    const start = readStart(event);
    if (start === null) return { event, key: null };
    const allDay = event.all_day === true;
    const day = dayOf(allDay ? start : wallClockAt(start, zone));
    return { event, key: { day: Math.max(day, first), allDay, start } };
  };
}

/** The day of an instant in UTC, in days since the Unix epoch. */
function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS);
}

/** The events in the order of `sortEvents`. */
function sortKeyed<T extends Event>(events: readonly KeyedEvent<T>[]): KeyedEvent<T>[] {
  return events.toSorted(compareKeyed);
}

/** Negative when `left` is listed before `right`, as for `sort`. */
function compareKeyed<T extends Event>(left: KeyedEvent<T>, right: KeyedEvent<T>): number {
  return (
    compareSortKeys(left.key, right.key) ||
    compare(left.event.title ?? "", right.event.title ?? "") ||
    compare(left.event.id, right.event.id)
  );
}

function compareSortKeys(left: SortKey | null, right: SortKey | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return left.day - right.day || Number(right.allDay) - Number(left.allDay) || left.start - right.start;
}

/** By code unit, for the same order on every machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** What a category can be. */
export const CATEGORY_CHOICES: readonly Category[] = CATEGORIES;

/** Conditions that every event must meet; undefined ones do not apply. */
export interface EventFilter {
  readonly category?: string | undefined;
  /** Composite. */
  readonly labelIds?: ReadonlySet<string> | undefined;
  /** Composite. */
  readonly excludedLabelIds?: ReadonlySet<string> | undefined;
  /** Composite ids of users, of whom one attends. */
  readonly attendeeIds?: ReadonlySet<string> | undefined;
  /** Created by this user or attended by it; the id may be plain or composite. */
  readonly mine?: { readonly userId: string } | undefined;
  /** Omit events that are over at `now`, in milliseconds since the Unix epoch. */
  readonly remaining?: { readonly now: number } | undefined;
}

/** The events that meet every condition. An all-day event is over when its last day has ended in `zone`. */
export function filterEvents<T extends Event>(
  events: readonly T[],
  { category, labelIds, excludedLabelIds, attendeeIds, mine, remaining }: EventFilter,
  zone: string,
): T[] {
  const today = remaining === undefined ? 0 : dateToInstant(localDate(remaining.now, zone));
  return events.filter(
    (event) =>
      (category === undefined || event.category === category) &&
      (labelIds === undefined || hasLabel(event, labelIds)) &&
      !(excludedLabelIds !== undefined && hasLabel(event, excludedLabelIds)) &&
      (attendeeIds === undefined || hasAttendee(event, attendeeIds)) &&
      (mine === undefined || involves(event, mine.userId)) &&
      (remaining === undefined || !isOver(event, { now: remaining.now, today })),
  );
}

function hasLabel({ label, calendar_id: calendarId }: Event, labelIds: ReadonlySet<string>): boolean {
  return label !== null && labelIds.has(compositeId(calendarId, label.id));
}

function hasAttendee({ attendees, calendar_id: calendarId }: Event, ids: ReadonlySet<string>): boolean {
  return attendees.some(({ id }) => ids.has(compositeId(calendarId, id)));
}

function involves({ creator, attendees }: Event, userId: string): boolean {
  return isUser(creator, userId) || attendees.some((attendee) => isUser(attendee, userId));
}

/** Services mix plain and composite ids; an app may have the same id as a user. */
function isUser(user: User | null, userId: string): boolean {
  return user?.type === "user" && plainId(user.id) === plainId(userId);
}

/**
 * Each series once: its current or next occurrence, or the last one if all are over. Single events stay.
 * @param events in the order of a list
 */
export function selectOncePerSeries<T extends Event>(
  events: readonly T[],
  { now, zone }: { readonly now: number; readonly zone: string },
): T[] {
  const today = dateToInstant(localDate(now, zone));
  const chosen = new Map<string, T>();
  for (const event of events) {
    const current = chosen.get(seriesKey(event));
    if (current === undefined || isOver(current, { now, today })) chosen.set(seriesKey(event), event);
  }
  return events.filter((event) => chosen.get(seriesKey(event)) === event);
}

function seriesKey({ calendar_id: calendarId, series_id: seriesId, id }: Event): string {
  return `${calendarId} ${seriesId ?? id}`;
}

interface Cutoff {
  readonly now: number;
  /** Midnight UTC of today's date, as all-day events hold dates. */
  readonly today: number;
}

/** An event without a readable end is never over. */
function isOver(event: Event, { now, today }: Cutoff): boolean {
  const { allDay, end } = readSpan(event);
  return end !== null && end <= (allDay === true ? today : now);
}

/** Batches of events in the order of lists, of which each is read only when it is asked for. */
type EventBatches<T extends Event> = AsyncIterator<readonly KeyedEvent<T>[]>;

/**
 * Puts pages that are ordered by start into the order of lists. A day is passed on once no later event can be of it, so
 * that only a few days are held.
 */
export async function* sortPages<T extends Event>(
  pages: AsyncIterable<readonly T[]>,
  options: SortOptions,
): AsyncGenerator<readonly KeyedEvent<T>[]> {
  const withKey = createKeyReader(options);
  let held: readonly KeyedEvent<T>[] = [];
  for await (const page of pages) {
    held = sortKeyed([...held, ...page.map(withKey)]);
    const last = page.at(-1);
    const start = last === undefined ? null : readStart(last);
    if (start === null) continue;
    // The day of a later event is that of its start in UTC, or the one before or after.
    const open = dayOf(start) - 1;
    const first = held.findIndex(({ key }) => key === null || key.day >= open);
    const end = first === -1 ? held.length : first;
    yield held.slice(0, end);
    held = held.slice(end);
  }
  yield held;
}

/** What is left of a batch, and where the next ones come from. */
interface Source<T extends Event> {
  readonly batches: EventBatches<T>;
  batch: readonly KeyedEvent<T>[];
  position: number;
}

/**
 * Reads the first batch of each source with `prime`, and merges them into one list.
 * @param prime calls a function for each of the sources, several at a time
 */
export async function mergeSorted<T extends Event>(
  batches: readonly EventBatches<T>[],
  prime: (read: (source: Source<T>) => Promise<void>, sources: readonly Source<T>[]) => Promise<unknown>,
): Promise<AsyncIterable<readonly T[]>> {
  const sources = batches.map((each) => ({ batches: each, batch: [], position: 0 }));
  await prime(refill, sources);
  return merge(sources);
}

async function refill<T extends Event>(source: Source<T>): Promise<void> {
  while (source.position === source.batch.length) {
    const { value, done } = await source.batches.next();
    if (done === true) return;
    source.batch = value;
    source.position = 0;
  }
}

async function* merge<T extends Event>(sources: readonly Source<T>[]): AsyncGenerator<readonly T[]> {
  for (let open = sources.filter(hasNext); open.length > 0; open = open.filter(hasNext)) {
    yield takeUntilEmpty(open);
    for (const source of open) await refill(source);
  }
}

function hasNext<T extends Event>({ batch, position }: Source<T>): boolean {
  return position < batch.length;
}

/** The next events of all sources, until one of them has to be read on. */
function takeUntilEmpty<T extends Event>(sources: readonly Source<T>[]): readonly T[] {
  const taken: T[] = [];
  while (sources.every(hasNext)) {
    const heads = sources.flatMap((source) => {
      const head = source.batch[source.position];
      return head === undefined ? [] : [{ source, head }];
    });
    const first = heads.reduce((least, each) => (compareKeyed(each.head, least.head) < 0 ? each : least));
    first.source.position += 1;
    taken.push(first.head.event);
  }
  return taken;
}
