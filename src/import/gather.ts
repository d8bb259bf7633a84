import { asUsageError, describeWithoutFlags } from "../errors.js";
import { type ImportEntry, type ImportItem, type Rejection, rejectEntry } from "./entry.js";
import { type DayWindow, occurrencesOf, slotOf, windowInstants } from "./occurrences.js";
import { type ImportEvent, type ImportRecord, type ImportSource, isSeriesRecord } from "./plan.js";
import type { RuleEngine } from "./series.js";
import { indexOccurrences, isSingleRecord, placeInSeries, readSeriesEvents } from "./series-events.js";

export interface Gathered {
  readonly source: ImportSource;
  readonly rejections: readonly Rejection[];
  /** How many cancelled events have not come from this source. */
  readonly unknown: number;
  /** Why repeating events are single ones, where the service stores series: sentences for the user. */
  readonly notes: readonly string[];
}

export interface GatherOptions extends Pick<ImportSource, "isComplete"> {
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
  /** Identities of which a change cannot be read. */
  readonly affected: ReadonlySet<string>;
  readonly occurrences: ReturnType<typeof indexOccurrences>;
  /** Takes why a repeating event becomes single ones. */
  readonly reasons: string[];
}

/** The events of a file: repeating ones as series or as their occurrences, of which those that the file changes are as it changes them. */
export function gatherEvents(items: readonly ImportItem[], options: GatherOptions): Gathered {
  const rejections = items.filter((item) => item.kind === "rejected");
  const entries = items.filter((item) => item.kind === "event");
  const affected = new Set(rejections.flatMap(({ affects }) => affects ?? []));
  const occurrences = indexOccurrences(entries, affected, options.records);
  const reasons: string[] = [];
  const found = { ...options, affected, occurrences, reasons };
  const single = entries.filter(({ occurrenceOf }) => occurrenceOf === undefined);
  const masters = new Set(single.map(({ identity }) => identity));
  const events = new Map<string, ImportEvent>();
  for (const entry of single.filter(({ cancelled }) => !cancelled)) {
    const read = readMaster(entry, found);
    if ("reason" in read) rejections.push(read);
    else for (const event of read) events.set(event.identity, event);
  }
  const unknown = entries.filter((entry) => isUnknown(entry, found, masters)).length;
  const rejected = new Set(rejections.flatMap(({ identity }) => identity ?? []));
  const cancelled: ImportEvent[] = [];
  for (const entry of entries) {
    const event = changeOf(entry, found, { events, masters, rejected });
    if (event === null) continue;
    if (entry.cancelled) cancelled.push(event);
    else events.set(event.identity, event);
  }
  for (const identity of [...cancelled.map((event) => event.identity), ...affected]) events.delete(identity);
  for (const identity of rejected) masters.delete(identity);
  const window = windowInstants(options.window);
  const notes = notesOf(reasons, options.window);
  rejections.sort((one, other) => one.line - other.line);
  const { isComplete } = options;
  const source = { events, cancelled, masters, rejected, isComplete, window };
  return { source, rejections, unknown, notes };
}

/** Whether it is cancelled, and neither it nor its series has come from this source. */
function isUnknown(
  { identity, cancelled, occurrenceOf }: ImportEntry,
  { records, occurrences }: Gathering,
  masters: ReadonlySet<string>,
): boolean {
  const uid = occurrenceOf?.uid ?? identity;
  const isOfFile = occurrenceOf !== undefined && masters.has(uid);
  const remembered = occurrences.get(uid)?.remembered ?? [];
  return cancelled && !isOfFile && remembered.length === 0 && !records.has(uid) && !records.has(identity);
}

/** The event, or of a repeating one the series or the occurrences. */
function readMaster(entry: ImportEntry, found: Gathering): readonly ImportEvent[] | Rejection {
  const { identity, recurrences, content } = entry;
  const { affected, engine, records, storesSeries, window, reasons } = found;
  if (affected.has(identity))
    return rejectEntry(entry, "the file has a change to it that cannot be imported");
  if (recurrences.length === 0 || engine === null) return [{ identity, content }];
  const series = storesSeries ? reasonOr(() => readSeriesEvents(entry, { ...found, engine })) : null;
  if (series !== null && typeof series !== "string") return series;
  if (isSeriesRecord(records.get(identity)))
    return rejectEntry(entry, series ?? "the service stores no repeating events any more");
  const events = reasonOr(() => occurrencesOf(entry, { window, expand: engine.expandRecurrence }));
  if (typeof events === "string") return rejectEntry(entry, events);
  if (series !== null) reasons.push(series);
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

/** The occurrence that an entry changes or cancels; null for any other entry, and where there is none. */
function changeOf(
  { occurrenceOf, content, identity }: ImportEntry,
  { window, records }: Gathering,
  { events, masters, rejected }: Pick<ImportSource, "events" | "masters" | "rejected">,
): ImportEvent | null {
  if (occurrenceOf === undefined) return null;
  const { uid } = occurrenceOf;
  const instant = Date.parse(occurrenceOf.slot);
  const isKnown = isSeriesRecord(records.get(uid));
  if (isKnown && rejected.has(uid)) return null;
  const series = events.get(uid);
  const isSlot = series?.exceptions?.isSlot(instant) ?? (isKnown && !masters.has(uid));
  if (isSlot && !isSingleRecord(records.get(identity)))
    return { identity, content, ...placeInSeries(uid, instant, (series?.content ?? content).all_day) };
  const slot = slotOf(instant, content, window);
  const { from, to } = windowInstants(window);
  return masters.has(uid) && (slot < from || slot >= to) ? null : { identity, content, slot };
}
