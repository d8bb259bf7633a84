import type { expandRecurrence } from "../calendar/recurrence.js";
import { instantAt } from "../calendar/zoned-time.js";
import { asUsageError, describeWithoutFlags } from "../errors.js";
import { type ImportEntry, type ImportItem, occurrenceIdentity, type Rejection } from "./entry.js";
import { type DayWindow, occurrencesOf, windowInstants } from "./occurrences.js";
import type { ImportEvent, ImportSource } from "./plan.js";

interface Gathered {
  readonly source: ImportSource;
  readonly rejections: readonly Rejection[];
}

interface GatherOptions {
  readonly window: DayWindow;
  /** Null where nothing repeats. */
  readonly expand: typeof expandRecurrence | null;
}

/** The events of a file: repeating ones as their occurrences, of which those that the file changes are as it changes them. */
export function gatherEvents(items: readonly ImportItem[], options: GatherOptions): Gathered {
  const window = windowInstants(options.window);
  const entries = items.filter((item) => item.kind === "event");
  const masters = entries.filter(({ occurrenceOf }) => occurrenceOf === undefined);
  const uids = new Set(masters.map(({ identity }) => identity));
  const spoiled = new Set(items.flatMap((item) => (item.kind === "rejected" ? (item.spoils ?? []) : [])));
  const read = masters
    .filter(({ cancelled }) => !cancelled)
    .map((master) => (spoiled.has(master.identity) ? spoiledMaster(master) : readMaster(master, options)));
  const changed = entries
    .flatMap((entry) => changedOccurrence(entry, options))
    .filter(({ uid, event: { slot } }) => !uids.has(uid) || (slot >= window.from && slot < window.to));
  const rejections = [
    ...items.filter((item) => item.kind === "rejected"),
    ...read.flatMap(({ rejections: own }) => own),
  ];
  const all = [...read.flatMap(({ events: own }) => own), ...changed.map(({ event }) => event)];
  const events = new Map(all.map((event) => [event.identity, event]));
  const removed = changed.filter(({ cancelled }) => cancelled).map(({ event }) => event.identity);
  for (const identity of [...removed, ...spoiled]) events.delete(identity);
  const cancelled = new Set([
    ...removed,
    ...masters.flatMap((each) => (each.cancelled ? [each.identity] : [])),
  ]);
  const rejected = new Set(rejections.flatMap(({ identity }) => identity ?? []));
  for (const identity of rejected) uids.delete(identity);
  return { source: { events, cancelled, masters: uids, rejected, window }, rejections };
}

interface Read {
  readonly events: readonly ImportEvent[];
  readonly rejections: readonly Rejection[];
}

/** Its events may be those that a change, which cannot be read, says something else of. */
function spoiledMaster({ line, title, text, identity }: ImportEntry): Read {
  const reason = "the file has a change to it that cannot be imported";
  return { events: [], rejections: [{ kind: "rejected", line, title, text, identity, reason }] };
}

/** The event, or the occurrences of a repeating one. */
function readMaster(item: ImportEntry, { window, expand }: GatherOptions): Read {
  const { identity, line, title, text, recurrences, content } = item;
  if (recurrences.length === 0 || expand === null) return { events: [{ identity, content }], rejections: [] };
  try {
    return { events: occurrencesOf(item, { window, expand }), rejections: [] };
  } catch (error) {
    const reason = describeWithoutFlags(asUsageError(error)).replace(/^recurrences: /, "");
    return { events: [], rejections: [{ kind: "rejected", line, title, text, identity, reason }] };
  }
}

/** The occurrence that an entry replaces; empty for any other entry. */
function changedOccurrence(entry: ImportEntry, { window: { zone } }: GatherOptions) {
  const { occurrenceOf, cancelled, content } = entry;
  if (occurrenceOf === undefined) return [];
  const { uid, slot } = occurrenceOf;
  const instant = Date.parse(slot);
  // A day begins with the zone's clock.
  const begins = content.all_day === true ? instantAt(instant, zone) : instant;
  const event = { identity: occurrenceIdentity(uid, slot), content, slot: begins };
  return [{ uid, cancelled, event }];
}
