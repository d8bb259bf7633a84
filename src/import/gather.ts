import { asUsageError, describeWithoutFlags } from "../errors.js";
import { type ImportEntry, type ImportItem, type Rejection, rejectEntry } from "./entry.js";
import { type DayWindow, occurrencesOf, slotOf, windowInstants } from "./occurrences.js";
import {
  type ImportEvent,
  type ImportRecord,
  type ImportSource,
  isSeriesRecord,
  type Known,
} from "./plan.js";
import type { RuleEngine } from "./series.js";
import { createSeriesReader, isSingleRecord, placeInSeries, type SeriesReader } from "./series-reader.js";

interface Gathered {
  readonly source: ImportSource;
  readonly rejections: readonly Rejection[];
  /** Why repeating events are single ones, where the service stores series: sentences for the user. */
  readonly notes: readonly string[];
}

interface GatherOptions {
  readonly window: DayWindow;
  /** Null where nothing repeats. */
  readonly engine: RuleEngine | null;
  /** Whether the service stores series. */
  readonly storesSeries: boolean;
  readonly records: ReadonlyMap<string, ImportRecord>;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What is known of the file before its events are. */
interface Gathering extends GatherOptions {
  /** Identities of single events and of series. */
  readonly masters: ReadonlySet<string>;
  /** Identities of which a change cannot be read. */
  readonly affected: ReadonlySet<string>;
  readonly reader: SeriesReader;
  /** Counts a repeating event that becomes single ones. */
  readonly count: (reason: string) => void;
}

/** The events of a file: repeating ones as series or as their occurrences, of which those that the file changes are as it changes them. */
export function gatherEvents(items: readonly ImportItem[], options: GatherOptions): Gathered {
  const window = windowInstants(options.window);
  const rejections = items.filter((item) => item.kind === "rejected");
  const entries = items.filter((item) => item.kind === "event");
  const single = entries.filter(({ occurrenceOf }) => occurrenceOf === undefined);
  const masters = new Set(single.map(({ identity }) => identity));
  const cancelled = new Set(single.flatMap((entry) => (entry.cancelled ? [entry.identity] : [])));
  const affected = new Set(rejections.flatMap(({ affects }) => affects ?? []));
  const reader = createSeriesReader({ ...options, affected, entries });
  const reasons: string[] = [];
  const found = {
    ...options,
    masters,
    affected,
    reader,
    count: (reason: string) => void reasons.push(reason),
  };
  const events = new Map<string, ImportEvent>();
  const add = (event: ImportEvent) => void events.set(event.identity, event);
  for (const entry of single.filter(({ identity }) => !cancelled.has(identity))) {
    const read = readMaster(entry, found);
    if ("reason" in read) rejections.push(read);
    else read.forEach(add);
  }
  const rejected = new Set(rejections.flatMap(({ identity }) => identity ?? []));
  const changes = entries.flatMap((entry) => changeOf(entry, found, rejected));
  for (const { isCancelled, event } of changes)
    if (isCancelled) cancelled.add(event.identity);
    else add(event);
  for (const event of reader.restored(new Set([...events.keys(), ...cancelled, ...affected]))) add(event);
  for (const identity of [...cancelled, ...affected]) events.delete(identity);
  for (const identity of rejected) masters.delete(identity);
  const withdrawn = changes.flatMap((change) => (change.isCancelled ? withdrawnOf(change.event, found) : []));
  const notes = notesOf(reasons, options.window);
  return { source: { events, cancelled, masters, rejected, window, withdrawn }, rejections, notes };
}

/** The event, or of a repeating one the series or the occurrences. */
function readMaster(entry: ImportEntry, found: Gathering): readonly ImportEvent[] | Rejection {
  const { identity, recurrences, content } = entry;
  const { affected, engine, records, storesSeries, window, reader, count } = found;
  if (affected.has(identity))
    return rejectEntry(entry, "the file has a change to it that cannot be imported");
  if (recurrences.length === 0 || engine === null) return [{ identity, content }];
  const series = storesSeries ? reasonOr(() => reader.read(entry, engine)) : null;
  if (series !== null && typeof series !== "string") return [series];
  if (isSeriesRecord(records.get(identity)))
    return rejectEntry(entry, series ?? "the service stores no repeating events any more");
  const events = reasonOr(() => occurrencesOf(entry, { window, expand: engine.expandRecurrence }));
  if (typeof events === "string") return rejectEntry(entry, events);
  if (series !== null) count(series);
  return events;
}

/** What `read` gives, or why it throws a usage error. */
function reasonOr<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return describeWithoutFlags(asUsageError(error)).replace(/^recurrences: /, "");
  }
}

function notesOf(reasons: readonly string[], { first, last }: DayWindow): readonly string[] {
  return [...new Set(reasons)].map((reason) => {
    const count = reasons.filter((each) => each === reason).length;
    return `${count} repeating ${count === 1 ? "event" : "events"} as single ones of ${first} to ${last}: ${reason}`;
  });
}

/** The occurrence that an entry changes or cancels; empty for any other entry, and where there is none. */
function changeOf(entry: ImportEntry, found: Gathering, rejected: ReadonlySet<string>) {
  const { occurrenceOf, content, identity, cancelled: isCancelled } = entry;
  const { window, masters, records, reader } = found;
  if (occurrenceOf === undefined) return [];
  const { uid } = occurrenceOf;
  const instant = Date.parse(occurrenceOf.slot);
  const isKnown = isSeriesRecord(records.get(uid));
  if (isKnown && rejected.has(uid)) return [];
  const series = reader.series.get(uid);
  const isSlot = series === undefined ? isKnown && !masters.has(uid) : series.exceptions.isSlot(instant);
  const allDay = (series?.content ?? content).all_day;
  if (isSlot && !isSingleRecord(records.get(identity)))
    return [{ isCancelled, event: { identity, content, ...placeInSeries(uid, instant, allDay) } }];
  const slot = slotOf(instant, content, window);
  const { from, to } = windowInstants(window);
  if (masters.has(uid) && (slot < from || slot >= to)) return [];
  return [{ isCancelled, event: { identity, content, slot } }];
}

/** What stands for an occurrence that the file cancels without its series, and that was never changed. */
function withdrawnOf({ identity, occurrenceOf, slot }: ImportEvent, found: Gathering): readonly Known[] {
  const { records, masters } = found;
  const series = records.get(occurrenceOf?.series ?? "");
  if (!occurrenceOf || !series || masters.has(occurrenceOf.series) || records.has(identity)) return [];
  return [{ identity, record: { id: `${series.id}_${occurrenceOf.slot}`, hash: "", left: "", slot } }];
}
