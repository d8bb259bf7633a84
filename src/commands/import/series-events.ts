import { DAY_MS, dateToInstant, formatWireDateTime } from "../../../contract/date-time.js";
import { originalStartText } from "../../../contract/extensions.js";
import type { EventDraft } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { type ImportRecord, isSeriesRecord, seriesOf } from "../../events/imported/records.js";
import { isOccurrenceId, timesFrom } from "../../events/repeat/series.js";
import type { expandRecurrence } from "../../time/recurrence/recurrence.js";
import { recurrenceOf } from "../../time/recurrence/rule.js";
import { addDays, instantAt } from "../../time/zoned-time.js";
import { type ImportEntry, occurrenceIdentity, wireTime } from "./entry.js";
import { type ImportEvent, isMoved, type Known } from "./plan.js";
import { type RuleEngine, readSeries, type SeriesExceptions } from "./series.js";

/** What is known of the occurrences of one series. */
interface Occurrences {
  /** Those that the file changes or cancels. */
  readonly changes: ImportEntry[];
  /** Identities of those whose change cannot be read. */
  readonly unread: string[];
  readonly remembered: Known[];
}

/**
 * What is known of occurrences, by the identities of their series.
 * @param affected identities of which a change cannot be read
 */
export function indexOccurrences(
  entries: readonly ImportEntry[],
  affected: ReadonlySet<string>,
  records: ReadonlyMap<string, ImportRecord>,
): ReadonlyMap<string, Occurrences> {
  const index = new Map<string, Occurrences>();
  const placeOf = (identity: string): Occurrences => {
    const uid = seriesOf(identity);
    const place = index.get(uid) ?? { changes: [], unread: [], remembered: [] };
    index.set(uid, place);
    return place;
  };
  for (const entry of entries)
    if (entry.occurrenceOf !== undefined) placeOf(entry.identity).changes.push(entry);
  for (const identity of affected) placeOf(identity).unread.push(identity);
  for (const [identity, record] of records)
    if (record.originalStart !== undefined) placeOf(identity).remembered.push({ identity, record });
  return index;
}

interface SeriesEvent extends ImportEvent {
  readonly exceptions: SeriesExceptions;
}

interface SeriesOptions {
  readonly engine: RuleEngine;
  readonly records: ReadonlyMap<string, ImportRecord>;
  readonly occurrences: ReadonlyMap<string, Occurrences>;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Takes a remark on the repeating event, such as "without …". */
  readonly remark: (text: string) => void;
}

/**
 * A repeating event of a file as a series, and its occurrences that the file does not change any more.
 * @throws CliError usage for what is not stored as a series
 */
export function readSeriesEvents(
  entry: ImportEntry,
  { engine, records, occurrences, now, remark }: SeriesOptions,
): readonly ImportEvent[] {
  const { identity } = entry;
  const record = records.get(identity);
  const { changes = [], unread = [], remembered = [] } = occurrences.get(identity) ?? {};
  const changed = new Set(changes.map((change) => change.identity));
  const isSingle = ({ identity: each, record: one }: Known) =>
    isSingleRecord(one) && one.isAlone !== true && !changed.has(each);
  if (!isSeriesRecord(record) && remembered.some(isSingle))
    throw usageError("it was imported as single events before");
  const before = record?.series?.excepted ?? [];
  const isOurs = (originalStart: number): boolean => {
    const { deleted } = records.get(occurrenceIdentity(identity, wireTime(originalStart))) ?? {};
    return before.includes(originalStart) || deleted === "by_import" || deleted === "pending";
  };
  const isGone = (each: ImportEntry) => each.cancelled || isSingleRecord(records.get(each.identity));
  // What cannot be read is left as it is: not made with a new series, and not deleted from one.
  const isLeftOut = (originalStart: number) => !isSeriesRecord(record) || isOurs(originalStart);
  const { content, ...read } = readSeries(entry, {
    engine,
    now,
    remark,
    changes: new Set(changes.filter((each) => !isGone(each)).map((each) => originalStartIn(each.identity))),
    gone: [
      ...changes.filter(isGone).map((each) => originalStartIn(each.identity)),
      ...unread.map(originalStartIn).filter(isLeftOut),
    ],
  });
  const event = { identity, content, exceptions: { ...read, isOurs } };
  const others = new Set([...changes.map((each) => each.identity), ...unread]);
  // What was changed of a series that moves is made anew.
  const restored = isMoved(record, event) ? [] : remembered.filter((each) => !others.has(each.identity));
  return [event, ...restored.flatMap((each) => restoredOf(each, event))];
}

/** An occurrence that was changed on its own, as its series says; empty for one that is none any more. */
function restoredOf(
  { identity, record: { id, deleted = "pending" } }: Known,
  { identity: series, content, exceptions: { excepted, isOriginalStart } }: SeriesEvent,
): readonly ImportEvent[] {
  const originalStart = originalStartIn(identity);
  const isChanged = isOccurrenceId(id) && deleted === "pending";
  if (!isChanged || excepted.includes(originalStart) || !isOriginalStart(originalStart)) return [];
  const own = { ...content, ...timesFrom(content, originalStart), recurrences: undefined };
  return [{ identity, content: own, ...placeInSeries(series, originalStart, content.all_day) }];
}

/** Where an occurrence is in its series. @param originalStart when it starts by the rule (ms) */
export function placeInSeries(series: string, originalStart: number, allDay: boolean | undefined) {
  return {
    originalStart,
    occurrenceOf: { series, originalStart: originalStartText(originalStart, allDay === true) },
  };
}

/** Whether an occurrence is an event of its own in the calendar. */
export function isSingleRecord(record: ImportRecord | undefined): boolean {
  return record !== undefined && record.deleted !== "by_import" && !isOccurrenceId(record.id);
}

/** When an occurrence would start by its rule (ms). */
function originalStartIn(identity: string): number {
  return Date.parse(identity.slice(identity.lastIndexOf(" ") + 1));
}

/** The days of which occurrences are imported, both included. */
export interface DayWindow {
  readonly first: string;
  readonly last: string;
  /** In which they begin. */
  readonly zone: string;
}

/** When the days begin and end (ms since the Unix epoch). */
export function windowInstants({ first, last, zone }: DayWindow) {
  const startOf = (date: string) => instantAt(dateToInstant(date), zone);
  return { from: startOf(first), to: startOf(addDays(last, 1)) };
}

/** When an occurrence begins, which is a day with the window's clock. @param start midnight UTC of a day */
export function originalStartOf(
  start: number,
  { all_day: isAllDay }: Pick<EventDraft, "all_day">,
  { zone }: DayWindow,
): number {
  return isAllDay === true ? instantAt(start, zone) : start;
}

/** The most occurrences in the window. */
const MAX_OCCURRENCES = 10_000;

/**
 * The occurrences of a repeating event, each as long as the first.
 * @param expand see `expandRecurrence`, which is loaded for repeating events alone
 * @throws CliError usage for a rule that cannot be read, for too many occurrences, and for an all-day event within a day
 */
export function occurrencesOf(
  { identity: uid, content, recurrences }: ImportEntry,
  { window, expand }: { readonly window: DayWindow; readonly expand: typeof expandRecurrence },
): readonly ImportEvent[] {
  const { from, to } = windowInstants(window);
  const found: ImportEvent[] = [];
  // A date begins up to a day before or after its midnight in UTC.
  for (const instant of expand(recurrenceOf(content, recurrences), from - DAY_MS)) {
    const originalStart = originalStartOf(instant, content, window);
    if (originalStart >= to) break;
    if (originalStart < from) continue;
    if (content.all_day === true && instant % DAY_MS !== 0)
      throw usageError("an all-day event cannot repeat within a day");
    if (found.length === MAX_OCCURRENCES)
      throw usageError(
        `it repeats too often: more than ${MAX_OCCURRENCES} times from ${window.first} to ${window.last}`,
      );
    const identity = occurrenceIdentity(uid, formatWireDateTime(instant));
    found.push({ identity, content: { ...content, ...timesFrom(content, instant) }, originalStart });
  }
  return found;
}
