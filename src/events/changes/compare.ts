import { parseLenientDateTime } from "../../../contract/date-time.js";
import type { Event } from "../../../contract/shapes.js";
import { contentKeyWithoutTimes, isSameContent } from "../content.js";
import { isOnDays } from "../day-list.js";
import { localizeEvent } from "../localized-event.js";
import { isSeries, isWhereItsRuleSays } from "../repeat/series.js";

/** `removed`: deleted, or no longer readable. */
export const CHANGE_KINDS = ["added", "changed", "removed"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** What happened to an event. */
export interface EventChange<T extends Event = Event> {
  readonly change: ChangeKind;
  /** As it is now; a removed one as it was last seen. */
  readonly event: T;
  /** As it was last seen; null if it was not. */
  readonly before: T | null;
}

/** The days that were looked at, as `YYYY-MM-DD` in a zone. */
export interface SeenDays {
  readonly first: string;
  readonly last: string;
  readonly zone: string;
}

/** What was seen of a calendar before. */
export interface SeenCalendar {
  /** When the last run began to read, by the service's clock, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Null when it was never read: only what was written since is a change. */
  readonly days: SeenDays | null;
  readonly events: readonly Event[];
  /** Of the calendar, as of what was seen; undefined where the service has none, or an event could not be asked for. */
  readonly revision?: number;
}

/** What is there now. */
interface ListedCalendar {
  readonly days: SeenDays;
  /** Every event that the service lists for these days. */
  readonly events: readonly Event[];
  /** Those of them that the run is about. */
  readonly matching: ReadonlySet<Event>;
}

/** The events of a calendar that were written or deleted, by id: null for one that is not there any more. */
export type WrittenEvents = ReadonlyMap<string, Event | null>;

/**
 * The events of the same days as before, when all that was written since is known. What was not seen before and not written
 * since is left out, since it would be no change.
 */
export function listSeenAndWritten(
  before: SeenCalendar,
  days: SeenDays,
  written: WrittenEvents,
): readonly Event[] {
  const kept = before.events.filter((event) => !written.has(event.id) && placeOf(event, days) === "listed");
  const present = [...written.values()].filter((event) => event !== null);
  return [...kept, ...present.filter((event) => isOnDays(localizeEvent(event, days.zone), days))];
}

export function isSameDays(one: SeenDays | null, other: SeenDays): boolean {
  return one?.first === other.first && one.last === other.last && one.zone === other.zone;
}

export interface Comparison {
  readonly changes: readonly EventChange[];
  /** Seen before and not listed, although their days are: `readLookup` tells what they are. */
  readonly missing: readonly Event[];
  /** What is remembered as seen, without the missing ones. */
  readonly seen: readonly Event[];
}

/** Compares the events of a calendar with those that were seen before. */
export function compareEvents(before: SeenCalendar, now: ListedCalendar): Comparison {
  const keyOf = createKeys(before.events, now.events);
  const listed = new Map(now.events.map((event) => [keyOf(event), event]));
  const known = new Set(before.events.map(keyOf));
  const unseen = now.events.filter((event) => now.matching.has(event) && !known.has(keyOf(event)));
  const changes: EventChange[] = unseen.flatMap((event) => changeOfUnseen(event, before) ?? []);
  const missing: Event[] = [];
  const seen = [...now.matching];
  for (const event of before.events) {
    const found = listed.get(keyOf(event));
    if (found !== undefined) {
      if (hasChanged(event, found)) changes.push({ change: "changed", event: found, before: event });
      continue;
    }
    switch (placeOf(event, now.days)) {
      case "over":
        break;
      case "later":
        seen.push(event);
        break;
      case "listed":
        // Another time of the same event is listed, so asking for it would not tell whether this one was removed.
        if (now.events.some(({ id }) => id === event.id)) changes.push(goneOf(event));
        else missing.push(event);
    }
  }
  return { changes, missing, seen };
}

/** What the lookup of an event that is not listed any more tells. */
export interface LookupResult {
  /** Null if it has not changed. */
  readonly change: EventChange | null;
  /** Null if it is not watched any more. */
  readonly seen: Event | null;
}

/** @param now the event as it is; null if it is not there or not readable */
export function readLookup(before: Event, now: Event | null, days: SeenDays): LookupResult {
  // Of an event that has become a series, the occurrences are listed.
  if (now === null || isSeries(now)) return { change: goneOf(before), seen: null };
  const seen = placeOf(now, days) === "listed" ? now : null;
  return { change: hasChanged(before, now) ? { change: "changed", event: now, before } : null, seen };
}

/**
 * An event that could have been seen before is a change in any case: a service may list it late. One whose days come into view
 * is one only if it was written since. An occurrence is as old as its series, but new where the rule has a new date.
 */
function changeOfUnseen(event: Event, { since, days }: SeenCalendar): EventChange | null {
  const couldBeSeen = days !== null && placeOf(event, days) === "listed";
  if (!couldBeSeen && !isWrittenSince(event, since)) return null;
  const created = instantOf(event.created_at);
  const isOld = created !== null && created < since && !(couldBeSeen && isWhereItsRuleSays(event));
  return { change: isOld ? "changed" : "added", event, before: null };
}

function goneOf(event: Event): EventChange {
  return { change: "removed", event, before: event };
}

function isWrittenSince({ created_at, updated_at }: Event, since: number): boolean {
  return [created_at, updated_at].some((text) => (instantOf(text) ?? Number.NEGATIVE_INFINITY) >= since);
}

function instantOf(text: string | null): number | null {
  return text === null ? null : (parseLenientDateTime(text)?.instant ?? null);
}

/** Where an event is, seen from some days. One without a readable start is where it was listed. */
function placeOf(event: Event, { first, last, zone }: SeenDays): "over" | "listed" | "later" {
  const times = localizeEvent(event, zone);
  if (times.start_local === null) return "listed";
  if (!isOnDays(times, { first, last: null })) return "over";
  return isOnDays(times, { first: null, last }) ? "listed" : "later";
}

/** Tells events apart by id; those of an id that is listed more than once, as repetitions may be, also by their start. */
function createKeys(...lists: readonly (readonly Event[])[]): (event: Event) => string {
  const repeated = new Set<string>();
  for (const events of lists) {
    const ids = new Set<string>();
    for (const { id } of events) {
      if (ids.has(id)) repeated.add(id);
      ids.add(id);
    }
  }
  return ({ id, start_at }) => (repeated.has(id) ? `${id} ${start_at}` : id);
}

/** Whether an event was written in between. Where the service does not say when it was, its content tells. */
function hasChanged(before: Event, now: Event): boolean {
  // It is written with its series, and has the rule of it.
  if (now.series_id !== null) return !isSameContent({ ...before, recurrences: now.recurrences }, now);
  const [then, updated] = [instantOf(before.updated_at), instantOf(now.updated_at)];
  const hasTime = then !== null && updated !== null;
  if (hasTime && then !== updated) return true;
  // The next time of an event that repeats is not a change of it.
  if (hasTime && now.recurrences.length > 0)
    return contentKeyWithoutTimes(before) !== contentKeyWithoutTimes(now);
  // Two writes may have the same time.
  return !isSameContent(before, now);
}

/**
 * Joins the changes of occurrences whose series was moved or cut in two. Their ids have the start by the rule in them, so a
 * service has the old ones as removed and the new ones as added, and does not say which became which: here the first removed one
 * and the first added one are one `changed`, then the second of each, and so on: of one series, then of those that were
 * created with it.
 */
export function joinMovedOccurrences(changes: readonly EventChange[]): readonly EventChange[] {
  const former = new Map<EventChange, EventChange>();
  const joined = new Set<EventChange>();
  const join = (some: readonly EventChange[]): void => {
    const free = some.filter((change) => !former.has(change) && !joined.has(change)).sort(byStart);
    const added = free.filter(({ change }) => change === "added");
    const removed = free.filter(({ change }) => change === "removed");
    for (const [index, change] of added.entries()) {
      const before = removed[index];
      if (before === undefined) return;
      former.set(change, before);
      joined.add(before);
    }
  };
  for (const [created, related] of groupBy(changes, ({ event }) => event.created_at)) {
    const series = groupBy(related, ({ event }) => event.series_id);
    const isSeries = [...series.keys()].some((id) => id !== null);
    if (created === null || !isSeries) continue;
    for (const [id, ofSeries] of series) if (id !== null) join(ofSeries);
    // A series that was cut off another one, or made of a single event, was created with it.
    join(related);
  }
  return changes
    .filter((change) => !joined.has(change))
    .map((change) => {
      const before = former.get(change)?.event;
      return before === undefined ? change : { change: "changed", event: change.event, before };
    });
}

function groupBy(
  changes: readonly EventChange[],
  keyOf: (change: EventChange) => string | null,
): ReadonlyMap<string | null, readonly EventChange[]> {
  const groups = new Map<string | null, EventChange[]>();
  for (const change of changes) {
    const group = groups.get(keyOf(change)) ?? [];
    group.push(change);
    groups.set(keyOf(change), group);
  }
  return groups;
}

function byStart({ event: one }: EventChange, { event: other }: EventChange): number {
  const startOf = ({ start_at }: Event) => Date.parse(start_at ?? "");
  return startOf(one) - startOf(other);
}
