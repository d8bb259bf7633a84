import type { EventDraft } from "../../../contract/shapes.js";
import {
  type ImportRecord,
  isSeriesRecord,
  type SeriesRecord,
  seriesOf,
  unlessDeleted,
} from "../../events/imported/records.js";
import type { Named } from "../../events/names.js";
import { isOccurrenceId } from "../../events/repeat/series.js";
import { hashContent } from "./entry.js";
import type { SeriesExceptions } from "./series.js";

/** An event that an import makes: one of the file, a series, or one occurrence of a repeating one. */
export interface ImportEvent {
  /** What later runs know it by. */
  readonly identity: string;
  readonly content: EventDraft<Named>;
  /** Of an occurrence, when it starts by its rule (ms since the Unix epoch). */
  readonly originalStart?: number | undefined;
  /** Of a series, whose lines `content` has. */
  readonly exceptions?: SeriesExceptions | undefined;
  /** Whether it changes an occurrence of a series that this source has not had yet. */
  readonly isAlone?: boolean | undefined;
  /** Of an occurrence of a series: the identity of that, and the original start as the id of the occurrence ends with it. */
  readonly occurrenceOf?: { readonly series: string; readonly originalStart: string } | undefined;
}

/** An event of which something is remembered. */
export interface Known {
  readonly identity: string;
  readonly record: ImportRecord;
  /** What the file says of it now; undefined where it is to be deleted. */
  readonly event?: ImportEvent;
}

/** What the file says. */
export interface ImportSource {
  readonly events: ReadonlyMap<string, ImportEvent>;
  /** Identities of single events and of series: what is not among the events any more is cancelled. */
  readonly masters: ReadonlySet<string>;
  /** Identities of its events that are not rejected, cancelled ones included. */
  readonly entries: readonly string[];
  /** Cancelled occurrences. */
  readonly cancelled: readonly ImportEvent[];
  /** Identities of what the file has and cannot become an event. */
  readonly rejected: ReadonlySet<string>;
  /** The window of occurrences (ms since the Unix epoch); what is outside of it is not gone. */
  readonly window: { readonly from: number; readonly to: number };
}

export interface Comparison {
  readonly added: readonly ImportEvent[];
  /** As they were imported before, or cancelled and not there. */
  readonly unchanged: number;
  /** Changed in the file; what the calendar has decides. */
  readonly changed: readonly Required<Known>[];
  /** Cancelled in the file, or no occurrence of its series any more. */
  readonly cancelled: readonly Known[];
  /** Not in the file any more. */
  readonly missing: readonly Known[];
  /** How many events of the calendar came from this source. */
  readonly before: number;
}

/** Compares a file with what was imported from it before. Nothing of the calendar is needed. */
export function compareWithRecords(
  { entries, events, cancelled, masters, rejected, window }: ImportSource,
  records: ReadonlyMap<string, ImportRecord>,
): Comparison {
  const added: ImportEvent[] = [];
  const changed: Required<Known>[] = [];
  const replaced: Known[] = [];
  const unchanged: string[] = [];
  for (const event of events.values()) {
    const record = recordOf(event, records);
    const { identity, occurrenceOf } = event;
    const series = occurrenceOf?.series ?? "";
    const isOther = occurrenceOf === undefined || isMoved(records.get(series), events.get(series));
    const isReplaced = record !== null && isOther && isOccurrenceId(record.id);
    if (isReplaced && unlessDeleted(records.get(identity)) !== null) replaced.push({ identity, record });
    if (record === null || isReplaced) added.push(event);
    else if (record.hash === hashContent(event.content) && record.deleted !== "pending")
      unchanged.push(identity);
    else changed.push({ identity, record, event });
  }
  const isThere = ({ identity, record: { originalStart = window.from, deleted = "pending" } }: Known) =>
    deleted === "pending" &&
    ((originalStart >= window.from && originalStart < window.to) ||
      isSeriesRecord(records.get(seriesOf(identity))));
  const known = [...records].map(([identity, record]): Known => ({ identity, record })).filter(isThere);
  const withdrawn = withdrawnOf({ cancelled, masters }, records);
  const others = [...known, ...withdrawn].filter(
    ({ identity }) => !events.has(identity) && !rejected.has(identity),
  );
  const off = new Set(cancelled.map(({ identity }) => identity));
  const isCancelled = (each: Known) => off.has(each.identity) || masters.has(masterOf(each));
  // A series stays while the file has an event of it, even one that is cancelled.
  const kept = new Set([...events.values(), ...cancelled].map(({ occurrenceOf }) => occurrenceOf?.series));
  const withdrawnKnown = [...others.filter(isCancelled), ...replaced];
  const compared = [...added, ...changed, ...withdrawnKnown].map(({ identity }) => identity);
  return {
    added,
    unchanged: unchanged.length + countWithout(entries, [...compared, ...unchanged]),
    changed,
    cancelled: withdrawnKnown,
    missing: others.filter(
      (each) => !isCancelled(each) && !rejected.has(masterOf(each)) && !kept.has(masterOf(each)),
    ),
    before: known.length,
  };
}

/** How many entries gave none of these: neither as they are nor as single events of a series. */
function countWithout(entries: readonly string[], identities: readonly string[]): number {
  const own = new Set(entries);
  const given = new Set(identities.flatMap((each) => (own.has(each) ? each : [each, seriesOf(each)])));
  return entries.filter((entry) => !given.has(entry)).length;
}

/** Cancelled occurrences of which nothing is remembered. A series of the file has them among its exceptions. */
function withdrawnOf(
  { cancelled, masters }: Pick<ImportSource, "cancelled" | "masters">,
  records: ReadonlyMap<string, ImportRecord>,
): readonly Known[] {
  return cancelled.flatMap((event) => {
    const { identity, occurrenceOf } = event;
    const isOther = records.has(identity) || masters.has(occurrenceOf?.series ?? "");
    const record = isOther ? null : recordOf(event, records);
    return record === null ? [] : [{ identity, record }];
  });
}

/**
 * What is remembered of an event; null for one that is to be made. An occurrence is made with its series: what a killed delete
 * has left of an earlier series is not of it.
 */
export function recordOf(
  { identity, occurrenceOf, originalStart }: ImportEvent,
  records: ReadonlyMap<string, ImportRecord>,
): ImportRecord | null {
  const record = unlessDeleted(records.get(identity));
  if (occurrenceOf === undefined) return record;
  const series = unlessDeleted(records.get(occurrenceOf.series));
  if (series === null) return null;
  const isOfEarlier = record !== null && isOccurrenceId(record.id) && !record.id.startsWith(`${series.id}_`);
  const id = `${series.id}_${occurrenceOf.originalStart}`;
  return { hash: "", lastWrittenHash: "", originalStart, ...(isOfEarlier ? null : record), id };
}

/** The identity of a single event, or that of the series of an occurrence. */
function masterOf({ identity, record }: Known): string {
  return record.originalStart === undefined ? identity : seriesOf(identity);
}

/** What is remembered of a series besides; undefined for other events. */
export function seriesRecord({ content, exceptions }: ImportEvent): SeriesRecord | undefined {
  return exceptions && { excepted: exceptions.excepted, begins: beginningOf(content) };
}

/** When an event begins, and the zone of that. */
function beginningOf({ start_at, start_timezone }: EventDraft<Named>): string {
  return `${start_at} ${start_timezone}`;
}

/** Whether a series is moved: then the service moves what was changed of it, too. */
export function isMoved({ series }: Partial<ImportRecord> = {}, event: ImportEvent | undefined): boolean {
  return (
    series !== undefined && event?.exceptions !== undefined && series.begins !== seriesRecord(event)?.begins
  );
}
