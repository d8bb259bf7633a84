import type { expandRecurrence } from "../calendar/recurrence.js";
import { asUsageError, describeWithoutFlags } from "../errors.js";
import {
  type ImportEntry,
  type ImportItem,
  occurrenceIdentity,
  type Rejection,
  rejectEntry,
} from "./entry.js";
import { type DayWindow, occurrencesOf, slotOf, windowInstants } from "./occurrences.js";
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
  const rejections = items.filter((item) => item.kind === "rejected");
  const entries = items.filter((item) => item.kind === "event");
  const affected = new Set(rejections.flatMap(({ affects }) => affects ?? []));
  const events = new Map<string, ImportEvent>();
  const single = entries.filter(({ occurrenceOf }) => occurrenceOf === undefined);
  const masters = new Set(single.map(({ identity }) => identity));
  const cancelled = new Set(single.flatMap((entry) => (entry.cancelled ? [entry.identity] : [])));
  for (const entry of single) {
    const read = entry.cancelled ? [] : readMaster(entry, { ...options, affected });
    if ("reason" in read) rejections.push(read);
    else for (const event of read) events.set(event.identity, event);
  }
  const changes = entries.flatMap((entry) => changeOf(entry, options.window, masters));
  for (const { isCancelled, event } of changes)
    if (isCancelled) cancelled.add(event.identity);
    else events.set(event.identity, event);
  for (const identity of [...cancelled, ...affected]) events.delete(identity);
  const rejected = new Set(rejections.flatMap(({ identity }) => identity ?? []));
  for (const identity of rejected) masters.delete(identity);
  return { source: { events, cancelled, masters, rejected, window }, rejections };
}

/** The event, or the occurrences of a repeating one. @param affected identities of which a change cannot be read */
function readMaster(
  entry: ImportEntry,
  { window, expand, affected }: GatherOptions & { readonly affected: ReadonlySet<string> },
): readonly ImportEvent[] | Rejection {
  const { identity, recurrences, content } = entry;
  if (affected.has(identity))
    return rejectEntry(entry, "the file has a change to it that cannot be imported");
  if (recurrences.length === 0 || expand === null) return [{ identity, content }];
  try {
    return occurrencesOf(entry, { window, expand });
  } catch (error) {
    return rejectEntry(entry, describeWithoutFlags(asUsageError(error)).replace(/^recurrences: /, ""));
  }
}

/** The occurrence that an entry replaces; empty for any other entry, and outside of the window. */
function changeOf(entry: ImportEntry, window: DayWindow, masters: ReadonlySet<string>) {
  const { occurrenceOf, cancelled: isCancelled, content } = entry;
  if (occurrenceOf === undefined) return [];
  const { uid, slot: written } = occurrenceOf;
  const slot = slotOf(Date.parse(written), content, window);
  const { from, to } = windowInstants(window);
  if (masters.has(uid) && (slot < from || slot >= to)) return [];
  return [{ isCancelled, event: { identity: occurrenceIdentity(uid, written), content, slot } }];
}
