import { DAY_MS } from "../../../contract/date-time.js";
import { asUsageError, describeWithoutFlags } from "../../errors.js";
import { type ImportRecord, isSeriesRecord, seriesOf } from "../../events/imported/records.js";
import { firstNames } from "../../output/words.js";
import { recurrenceOf } from "../../time/recurrence/rule.js";
import {
  createTally,
  type ImportEntry,
  type ImportItem,
  newestOf,
  occurrenceIdentity,
  type Rejection,
  rejectEntry,
} from "./entry.js";
import type { Beginning } from "./ics-times.js";
import type { ImportEvent, ImportSource, Known } from "./plan.js";
import type { RuleEngine } from "./series.js";
import {
  type DayWindow,
  indexOccurrences,
  isSingleRecord,
  occurrencesOf,
  originalStartOf,
  placeInSeries,
  readSeriesEvents,
  windowInstants,
} from "./series-events.js";

export interface CollectedEntries {
  readonly source: ImportSource;
  readonly rejections: readonly Rejection[];
  /** How many cancelled events have not come from this source. */
  readonly unknown: number;
  /** How many events are left out: the file has them twice, or the file or an earlier import has a newer version. */
  readonly superseded: number;
  /** Remarks on events, such as why they became single events: sentences for the user. */
  readonly notes: readonly string[];
  /** Its events that are not rejected, cancelled ones included. */
  readonly versions: readonly Pick<ImportEntry, "identity" | "sequence">[];
  /** For each event of an older version, and each DTSTART, EXDATE and RECURRENCE-ID at which no event of its series starts: a sentence with its line. */
  readonly strays: readonly string[];
}

export interface CollectOptions {
  /** False for a file that was cut short. */
  readonly isComplete: boolean;
  readonly window: DayWindow;
  /** Null where nothing repeats. */
  readonly engine: RuleEngine | null;
  /** Whether the service stores series. */
  readonly storesSeries: boolean;
  readonly records: ReadonlyMap<string, ImportRecord>;
  /** The SEQUENCE last imported for each event; empty if older versions are imported, too. */
  readonly sequences: ReadonlyMap<string, number>;
  /** Whether the file is an email, which does not have all events of its source. */
  readonly isMail: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What is known of the file before its events are. */
interface Collecting extends CollectOptions {
  /** Identities of which a change cannot be read. */
  readonly affected: ReadonlySet<string>;
  readonly occurrences: ReturnType<typeof indexOccurrences>;
  /** Takes a remark on a repeating event, such as why it becomes single events, and its line. */
  readonly remark: ReturnType<typeof createTally>["count"];
  /** Identities of repeating events that become single events. */
  readonly expanded: Set<string>;
}

/** The events of a file: repeating ones as series or as their occurrences, of which those that the file changes are as it changes them. */
export function collectEntries(items: readonly ImportItem[], options: CollectOptions): CollectedEntries {
  const [again, remarks] = [createTally("event"), createTally("repeating event")];
  const newest = newestOf(withOriginalStarts(items, options.records), again.count);
  const { items: read, older, notes: strays } = withoutOlder(newest.items, options);
  const rejections = read.filter((item) => item.kind === "rejected");
  const entries = read.filter((item) => item.kind === "event");
  const kept = keptBeside(entries, options);
  const leftAlone = older.filter(({ occurrenceOf }) => occurrenceOf !== undefined);
  const affected = new Set([
    ...rejections.flatMap(({ affects }) => affects ?? []),
    ...[...kept, ...leftAlone.map(({ identity }) => identity)],
  ]);
  const occurrences = indexOccurrences(entries, affected, options.records);
  const remark = remarks.count;
  const found = { ...options, affected, occurrences, remark, expanded: new Set<string>() };
  const single = entries.filter(({ occurrenceOf }) => occurrenceOf === undefined);
  const masters = new Set(single.map(({ identity }) => identity));
  const events = new Map<string, ImportEvent>();
  for (const entry of single) {
    const made = readMaster(entry, found);
    if ("reason" in made) {
      rejections.push(made);
      continue;
    }
    for (const event of made) events.set(event.identity, event);
    strays.push(...strayStartsOf(entry, options.engine));
  }
  const unknown = entries.filter((entry) => isUnknown(entry, found, masters)).length;
  const rejected = new Set(rejections.flatMap(({ identity }) => identity ?? []));
  const { changes, failed } = changesOf(entries, found, { events, masters, rejected });
  strays.push(...changes.flatMap(({ entry }) => strayChangeOf(entry, events)));
  const cancelled = changes.flatMap(({ entry, event }) => (entry.cancelled ? [event] : []));
  for (const { entry, event } of changes) if (!entry.cancelled) events.set(event.identity, event);
  for (const identity of [...cancelled.map((event) => event.identity), ...affected]) events.delete(identity);
  for (const identity of rejected) masters.delete(identity);
  // A series that is not in the file any more stays while a change to it is rejected.
  const left = [...affected].map(seriesOf).filter((identity) => !masters.has(identity));
  const window = windowInstants(options.window);
  const notes = [...again.notes(), ...remarks.notes()];
  const all = [...rejections, ...failed].sort((one, other) => one.line - other.line);
  const lines = new Set(all.map(({ line }) => line));
  const versions = entries.filter(({ line }) => !lines.has(line));
  const source = {
    entries: versions.map(({ identity }) => identity),
    ...{ events, cancelled, masters, window },
    rejected: new Set([...rejected, ...left, ...kept, ...older.map(({ identity }) => identity)]),
  };
  const superseded = newest.superseded + older.length;
  return { source, rejections: all, superseded, unknown, versions, notes, strays };
}

/** A change of an occurrence that its series in the file does not have: it is imported as a separate event. */
function strayChangeOf(
  { line, title, occurrenceOf, cancelled }: ImportEntry,
  events: ReadonlyMap<string, ImportEvent>,
): readonly string[] {
  const { uid = "", originalStart = "" } = occurrenceOf ?? {};
  const { exceptions, content } = events.get(uid) ?? {};
  if (exceptions === undefined || exceptions.isOriginalStart(Date.parse(originalStart))) return [];
  const start = writtenStart(originalStart, content?.all_day);
  const becomes = cancelled ? "it cancels nothing" : "it is imported as a separate event";
  return [
    `line ${line}: "${title}": no event of its series starts at its RECURRENCE-ID ${start}: ${becomes}`,
  ];
}

/** Dates that a sentence names. */
const MAX_DATES = 5;

/** What DTSTART and EXDATE say, and is no start by its rule: there is no event, and none is excluded. */
function strayStartsOf(
  { line, title, content, recurrences, exclusions = [], cancelled }: ImportEntry,
  engine: RuleEngine | null,
): readonly string[] {
  if (recurrences.length === 0 || engine === null || cancelled) return [];
  const lines = recurrences.filter((each) => !each.startsWith("EXDATE"));
  const starts = engine.openRecurrence(recurrenceOf(content, lines));
  const stray = exclusions.flatMap(([start, written]) => (starts.has(start) ? [] : [written]));
  const { start_at = "", all_day } = content;
  const isGiven = !lines.some((each) => each.startsWith("RRULE")) || starts.has(Date.parse(start_at));
  const first = isGiven
    ? []
    : [`its rule has no event at its DTSTART ${writtenStart(start_at, all_day)}, so there is none`];
  const dates = firstNames(stray, MAX_DATES);
  const excluded =
    stray.length === 0 ? [] : [`no event of it starts at the EXDATE ${dates}, which excludes nothing`];
  return [...first, ...excluded].map((problem) => `line ${line}: "${title}": ${problem}`);
}

/** As iCalendar has it, with separators. */
function writtenStart(start: string, allDay: boolean | undefined): string {
  return allDay === true ? start.slice(0, 10) : start.replace(".000Z", "Z");
}

/** Whether it is cancelled, and neither it nor its series has come from this source. */
function isUnknown(
  { identity, cancelled, occurrenceOf }: ImportEntry,
  { records, occurrences }: Collecting,
  masters: ReadonlySet<string>,
): boolean {
  const uid = occurrenceOf?.uid ?? identity;
  const isOfFile = occurrenceOf !== undefined && masters.has(uid);
  const remembered = occurrences.get(uid)?.remembered ?? [];
  return cancelled && !isOfFile && remembered.length === 0 && !records.has(uid) && !records.has(identity);
}

/** The items with the original starts of changes to series that the file does not have, but earlier ones had. */
function withOriginalStarts(
  items: readonly ImportItem[],
  records: CollectOptions["records"],
): readonly ImportItem[] {
  return items.map((item) => {
    const { uid, originalStartIn } = item.occurrenceOf ?? {};
    const begins =
      uid === undefined || originalStartIn === undefined ? undefined : records.get(uid)?.series?.begins;
    if (uid === undefined || originalStartIn === undefined || begins === undefined) return item;
    const originalStart = reasonOr(() => ({ text: originalStartIn(readBeginning(begins)) }));
    if (typeof originalStart === "string")
      return item.kind === "event" ? rejectEntry(item, originalStart) : item;
    const identity = occurrenceIdentity(uid, originalStart.text);
    const change = { identity, occurrenceOf: { uid, originalStart: originalStart.text } };
    return item.kind === "event" ? { ...item, ...change } : { ...item, ...change, affects: identity };
  });
}

/** @param begins see `beginningOf`: midnight in UTC is taken as a date, which makes no difference to starts in UTC */
function readBeginning(begins: string): Beginning {
  const [start = "", zone = "UTC"] = begins.split(" ");
  const instant = Date.parse(start);
  const isUtc = zone === "UTC" || zone === "undefined";
  return { isDate: isUtc && instant % DAY_MS === 0, instant, zone: isUtc ? "UTC" : zone };
}

type Found = Pick<ImportSource, "events" | "masters" | "rejected">;

/** What entries change or cancel of series, and those that cannot be imported. */
function changesOf(entries: readonly ImportEntry[], collecting: Collecting, found: Found) {
  const changes: { readonly entry: ImportEntry; readonly event: ImportEvent }[] = [];
  const failed: Rejection[] = [];
  for (const entry of entries) {
    const event = changeOf(entry, collecting, found);
    if (event === null) continue;
    if ("reason" in event) failed.push(event);
    else changes.push({ entry, event });
  }
  return { changes, failed };
}

/** The event, or of a repeating one the series or the occurrences; nothing of one that is cancelled. */
function readMaster(entry: ImportEntry, found: Collecting): readonly ImportEvent[] | Rejection {
  const { identity, recurrences, content } = entry;
  const { affected, engine, records, occurrences, isComplete, storesSeries } = found;
  if (affected.has(identity))
    return rejectEntry(entry, "the file has a change to it that cannot be imported");
  if (entry.cancelled) return [];
  const isRepeating = isSeriesRecord(records.get(identity)) || occurrences.get(identity)?.remembered.length;
  if (!isComplete && isRepeating)
    return rejectEntry(entry, "the file is cut short, and may change events of it");
  if (recurrences.length === 0 || engine === null) return [{ identity, content }];
  const series = storesSeries
    ? reasonOr(() =>
        readSeriesEvents(entry, { ...found, engine, remark: (text) => found.remark(text, entry.line) }),
      )
    : null;
  if (series !== null && typeof series !== "string") return series;
  if (isSeriesRecord(records.get(identity)))
    return rejectEntry(entry, series ?? "the service no longer stores repeating events");
  return readOccurrences(entry, series, { ...found, engine });
}

/** The occurrences of a repeating event as single events. @param reason why it cannot be a series; null if the service has none */
function readOccurrences(
  entry: ImportEntry,
  reason: string | null,
  found: Collecting & { readonly engine: RuleEngine },
): readonly ImportEvent[] | Rejection {
  const { window, engine, remark } = found;
  const events = reasonOr(() => occurrencesOf(entry, { window, expand: engine.expandRecurrence }));
  if (typeof events === "string") return rejectEntry(entry, events);
  const { first, last } = window;
  if (events.length === 0 && isNew(entry, found)) {
    const [any] = engine.expandRecurrence(recurrenceOf(entry.content, entry.recurrences));
    const outside = `it has no event from ${first} to ${last}`;
    return rejectEntry(entry, any === undefined && reason !== null ? reason : outside);
  }
  found.expanded.add(entry.identity);
  if (reason !== null) remark(`imported as single events from ${first} to ${last}: ${reason}`, entry.line);
  return events;
}

/** Whether nothing of a repeating event was imported before, and the file changes no event of it that is imported. */
function isNew({ identity }: ImportEntry, { records, occurrences, window }: Collecting): boolean {
  const { changes = [], remembered = [] } = occurrences.get(identity) ?? {};
  const isLeftOut = (change: ImportEntry) => change.cancelled || !isOnDays(change, window);
  const changed = new Set(changes.map((change) => change.identity));
  const isOther = (each: Known) => !changed.has(each.identity);
  return changes.every(isLeftOut) && !remembered.some(isOther) && !records.has(identity);
}

/** Whether an occurrence is on the days by its rule, or as it was changed. */
function isOnDays({ occurrenceOf, content }: ImportEntry, window: DayWindow): boolean {
  const { from, to } = windowInstants(window);
  return [occurrenceOf?.originalStart, content.start_at].some((start = "") => {
    const originalStart = originalStartOf(Date.parse(start), content, window);
    return originalStart >= from && originalStart < to;
  });
}

/** What `read` gives, or why it throws a usage error. */
function reasonOr<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return describeWithoutFlags(asUsageError(error)).replace(/^recurrences: /, "");
  }
}

/**
 * The occurrence that an entry changes or cancels, or why it is not changed: not either where it is on other days than those of which
 * the file's series has single events. Null for any other entry.
 */
function changeOf(
  entry: ImportEntry,
  collecting: Collecting,
  { events, masters, rejected }: Found,
): ImportEvent | Rejection | null {
  const { occurrenceOf, content, identity } = entry;
  const { affected, window, records, expanded } = collecting;
  if (occurrenceOf === undefined) return null;
  const { uid } = occurrenceOf;
  const instant = Date.parse(occurrenceOf.originalStart);
  const isKnown = isSeriesRecord(records.get(uid));
  if (affected.has(identity))
    return rejectEntry(entry, "the file has another change to it that cannot be imported");
  if (isKnown && rejected.has(uid) && !events.has(uid))
    return rejectEntry(entry, "its series cannot be imported");
  const series = events.get(uid);
  const isOriginalStart = series?.exceptions?.isOriginalStart(instant) ?? (isKnown && !masters.has(uid));
  if (isOriginalStart && !isSingleRecord(records.get(identity)))
    return { identity, content, ...placeInSeries(uid, instant, (series?.content ?? content).all_day) };
  const isLeftOut = expanded.has(uid) && !entry.cancelled && !records.has(identity);
  if (isLeftOut && !isOnDays(entry, window))
    return rejectEntry(entry, `it is not on the days from ${window.first} to ${window.last}`);
  const isAlone = (!masters.has(uid) && hasComeAlone(entry, collecting)) || undefined;
  return { identity, content, originalStart: originalStartOf(instant, content, window), isAlone };
}

/** Whether a change came before its series: it did in an earlier import, or only such changes of the series are known. */
function hasComeAlone({ identity }: ImportEntry, { records, occurrences }: Collecting): boolean {
  const { remembered = [] } = occurrences.get(seriesOf(identity)) ?? {};
  return records.get(identity)?.isAlone === true || remembered.every(({ record }) => record.isAlone);
}

/** What SEQUENCE means between imports. @see RFC 5545 §3.8.7.4 */

interface Remembered {
  readonly records: ReadonlyMap<string, ImportRecord>;
  readonly sequences: ReadonlyMap<string, number>;
}

/**
 * Leaves out the events of a file of which an earlier import had a newer version. A change is also older if its series was cancelled
 * with a higher SEQUENCE.
 * @returns the other items, the events left out, and a note for each of these
 */
function withoutOlder(items: readonly ImportItem[], { records, sequences }: Remembered) {
  const there = new Set(
    [...records].flatMap(([each, { deleted }]) => (deleted === "by_import" ? [] : [each, seriesOf(each)])),
  );
  const older = new Set<ImportEntry>();
  const notes: string[] = [];
  const events = items.filter((item) => item.kind === "event");
  const isChange = ({ occurrenceOf }: ImportEntry) => occurrenceOf !== undefined;
  // Series first.
  for (const entry of [...events.filter((each) => !isChange(each)), ...events.filter(isChange)]) {
    const { line, title, identity, occurrenceOf: { uid } = { uid: identity } } = entry;
    const ofSeries = there.has(uid) ? 0 : (sequences.get(uid) ?? 0);
    const known = Math.max(ofSeries, sequences.get(identity) ?? 0);
    const { sequence = known } = entry;
    if (sequence < known) {
      older.add(entry);
      notes.push(
        `line ${line}: "${title}": skipped: its SEQUENCE ${sequence} is lower than ${known}, which was imported; --overwrite imports it`,
      );
    } else there.add(identity);
  }
  const isRead = (item: ImportItem) => item.kind === "rejected" || !older.has(item);
  return { items: items.filter(isRead), older: [...older], notes };
}

/**
 * Identities of changed or cancelled occurrences that stay as they are, though the file has their series without them: changes that
 * came before their series, and in an email those that are newer than the series.
 */
function keptBeside(
  entries: readonly ImportEntry[],
  { records, sequences, isMail }: Remembered & { readonly isMail: boolean },
): readonly string[] {
  const own = new Set(entries.map(({ identity }) => identity));
  const repeating = entries.filter(({ recurrences, cancelled }) => recurrences.length > 0 && !cancelled);
  const series = new Map(repeating.map(({ identity, sequence = 0 }) => [identity, sequence]));
  const isKept = (identity: string): boolean => {
    const ofSeries = series.get(seriesOf(identity));
    if (ofSeries === undefined || own.has(identity)) return false;
    const { isAlone = false, deleted } = records.get(identity) ?? {};
    const isCancelled = deleted === "by_import" && !isSeriesRecord(records.get(seriesOf(identity)));
    const sequence = sequences.get(identity) ?? ofSeries;
    return (isAlone && !isCancelled && sequence >= ofSeries) || (isMail && sequence > ofSeries);
  };
  return [...new Set([...records.keys(), ...sequences.keys()])].filter(isKept);
}
