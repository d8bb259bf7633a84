import { createHash } from "node:crypto";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { contentKey } from "../calendar/event-changes.js";
import { hasFields } from "../calendar/if-unchanged.js";
import { fromFirstSlot, isOccurrenceId, isSeries } from "../calendar/series.js";
import type { ImportContent } from "./entry.js";
import { draftOfSeries, repeatsAs, type SeriesExceptions } from "./series.js";

/** An event that an import makes: one of the file, a series, or one occurrence of a repeating one. */
export interface ImportEvent {
  /** What later runs know it by. */
  readonly identity: string;
  readonly content: ImportContent;
  /** Of an occurrence, when it starts by its rule (ms since the Unix epoch). */
  readonly slot?: number | undefined;
  /** Of a series, whose lines `content` has. */
  readonly exceptions?: SeriesExceptions | undefined;
  /** Of an occurrence of a series: the identity of that, and the slot as the id of the occurrence ends with it. */
  readonly occurrenceOf?: { readonly series: string; readonly slot: string } | undefined;
}

/** What is remembered of a series of the file. */
interface SeriesRecord {
  /** Its exceptions (ms). */
  readonly excepted: readonly number[];
  /** Where its rule begins, with the zone. */
  readonly begins: string;
}

/** What is remembered of an event that was imported. */
export interface ImportRecord {
  /** Of the event in the calendar. */
  readonly id: string;
  /** `hashContent` of what the file said. */
  readonly hash: string;
  /** `hashEvent` of the event as the import left it; empty for an occurrence that was not changed on its own. */
  readonly left: string;
  readonly slot?: number | undefined;
  /** Of a series. */
  readonly series?: SeriesRecord | undefined;
  /** `begun`: a delete was sent. `here`: an import or its undo deleted it. `elsewhere`: somebody else did. */
  readonly deleted?: "begun" | "here" | "elsewhere" | undefined;
  /** The event that an undo deleted, where another one took its place before. */
  readonly undone?: string | undefined;
}

/** An event of the file or of the calendar, with what is remembered of it. */
export interface Known {
  readonly identity: string;
  readonly record: ImportRecord;
}

interface KnownEvent extends Known {
  readonly event: ImportEvent;
}

/** What the file says. */
export interface ImportSource {
  readonly events: ReadonlyMap<string, ImportEvent>;
  /** Identities of events that are cancelled. */
  readonly cancelled: ReadonlySet<string>;
  /** Identities of single events and of series: an occurrence that a series does not have any more is cancelled. */
  readonly masters: ReadonlySet<string>;
  /** Cancelled occurrences of series that the file does not have. */
  readonly withdrawn: readonly Known[];
  /** Identities of what the file has and cannot become an event. */
  readonly rejected: ReadonlySet<string>;
  /** The window of occurrences (ms since the Unix epoch); what is outside of it is not gone. */
  readonly window: { readonly from: number; readonly to: number };
}

export interface Comparison {
  readonly added: readonly ImportEvent[];
  readonly unchanged: number;
  /** Changed in the file; what the calendar has decides. */
  readonly changed: readonly KnownEvent[];
  /** Cancelled in the file, or no occurrence of its series any more. */
  readonly cancelled: readonly Known[];
  /** Not in the file any more. */
  readonly missing: readonly Known[];
  /** How many events of the calendar came from this source. */
  readonly before: number;
}

/** Compares a file with what was imported from it before. Nothing of the calendar is needed. */
export function compareWithRecords(
  { events, cancelled, masters, rejected, window, withdrawn }: ImportSource,
  records: ReadonlyMap<string, ImportRecord>,
): Comparison {
  const added: ImportEvent[] = [];
  const changed: KnownEvent[] = [];
  const replaced: Known[] = [];
  let unchanged = 0;
  for (const event of events.values()) {
    const record = recordOf(event, records);
    const { identity, occurrenceOf } = event;
    const series = occurrenceOf?.series ?? "";
    const isOther = occurrenceOf === undefined || isMoved(records.get(series), events.get(series));
    const isReplaced = record !== null && isOther && isOccurrenceId(record.id);
    if (isReplaced && unlessDeleted(records.get(identity)) !== null) replaced.push({ identity, record });
    if (record === null || isReplaced) added.push(event);
    else if (record.hash === hashContent(event) && record.deleted !== "begun") unchanged += 1;
    else changed.push({ identity, record, event });
  }
  const isInWindow = ({ identity, record: { slot = window.from } }: Known) =>
    (slot >= window.from && slot < window.to) || isSeriesRecord(records.get(seriesOf(identity)));
  const known = [...records]
    .map(([identity, record]): Known => ({ identity, record }))
    .filter((each) => (each.record.deleted ?? "begun") === "begun" && isInWindow(each));
  const others = known.filter(({ identity }) => !events.has(identity) && !rejected.has(identity));
  const isCancelled = (each: Known) => cancelled.has(each.identity) || masters.has(masterOf(each));
  return {
    added,
    unchanged,
    changed,
    cancelled: [...others.filter(isCancelled), ...withdrawn, ...replaced],
    missing: others.filter((each) => !isCancelled(each) && !rejected.has(masterOf(each))),
    before: known.length,
  };
}

/** What is remembered of an event; null for one that is to be made. An occurrence is made with its series. */
function recordOf(
  { identity, occurrenceOf, slot }: ImportEvent,
  records: ReadonlyMap<string, ImportRecord>,
): ImportRecord | null {
  const record = unlessDeleted(records.get(identity));
  if (occurrenceOf === undefined) return record;
  const series = unlessDeleted(records.get(occurrenceOf.series));
  return series && { hash: "", left: "", slot, ...record, id: `${series.id}_${occurrenceOf.slot}` };
}

/** Null without a record, and for what an import or its undo has deleted. */
function unlessDeleted(record: ImportRecord | undefined): ImportRecord | null {
  return record === undefined || record.deleted === "here" ? null : record;
}

/** Whether it is of a series that is not deleted by an import. */
export function isSeriesRecord(record: ImportRecord | undefined): boolean {
  return unlessDeleted(record)?.series !== undefined;
}

/** What is remembered of occurrences of a series, with their identities. */
export function occurrenceRecords(records: ReadonlyMap<string, ImportRecord>, series: string) {
  return [...records].filter(([each, { id }]) => isOccurrenceId(id) && seriesOf(each) === series);
}

/** The identity of the series of an occurrence. */
export function seriesOf(identity: string): string {
  return identity.slice(0, identity.lastIndexOf(" "));
}

/** The identity of a single event, or that of the series of an occurrence. */
function masterOf({ identity, record }: Known): string {
  return record.slot === undefined ? identity : seriesOf(identity);
}

/**
 * What becomes of an event that the file has changed, or does not have any more.
 * - `write`: it is as the import left it, or `overwrite` is set
 * - `same`: it says already what would be written
 * - `deleted`: it is not there any more, which stays so
 * - `conflict`: somebody changed it
 * @param current as it is now; null when there is none
 * @param draft null for one that is not in the file any more, which `overwrite` does not delete
 */
export function judge(
  { left }: ImportRecord,
  current: CalendarEvent | null,
  { draft, event, overwrite }: JudgeOptions,
): "write" | "same" | "deleted" | "conflict" {
  if (current === null) return "deleted";
  if (draft !== null && isAsDrafted(current, draft, event)) return "same";
  const isAsLeft = left === "" ? isUntouched(current) : hashEvent(current) === left;
  return isAsLeft || (overwrite && draft !== null) ? "write" : "conflict";
}

interface JudgeOptions {
  readonly draft: EventDraft | null;
  readonly event: ImportEvent | undefined;
  readonly overwrite: boolean;
}

/** Whether an occurrence is as its series says. */
export function isUntouched(event: CalendarEvent): boolean {
  return event.series_id !== null && !isSeries(event) && event.recurrences.length > 0;
}

/** Whether an event says what would be written. */
export function isAsDrafted(
  current: CalendarEvent,
  draft: EventDraft,
  event: Pick<ImportEvent, "exceptions"> | undefined,
): boolean {
  const wanted = draftOfChange(draft, current, event);
  return hasFields(current, wanted) && (!wanted.recurrences || repeatsAs(wanted, current));
}

/** What is remembered of an event that says what the file says. */
export function writtenRecord(event: ImportEvent, left: CalendarEvent): ImportRecord {
  const { slot } = event;
  return { id: left.id, hash: hashContent(event), left: hashEvent(left), slot, series: seriesRecord(event) };
}

/** What is remembered of a series besides; undefined for other events. */
export function seriesRecord({ content, exceptions }: ImportEvent): SeriesRecord | undefined {
  const { start_at, start_timezone } = content;
  return exceptions && { excepted: exceptions.excepted, begins: `${start_at} ${start_timezone}` };
}

/** Whether a series is moved: then the service moves what was changed of it, too. */
export function isMoved({ series }: Partial<ImportRecord> = {}, event: ImportEvent | undefined): boolean {
  return (
    series !== undefined && event?.exceptions !== undefined && series.begins !== seriesRecord(event)?.begins
  );
}

/** What replaces an event: what the file does not have is cleared. */
export function draftOfChange(
  draft: EventDraft,
  current: CalendarEvent,
  event: Pick<ImportEvent, "exceptions"> | undefined,
): EventDraft {
  const cleared = (key: "description" | "location" | "url") => draft[key] ?? (current[key] ? "" : undefined);
  return {
    ...(isSeries(current) ? draftOfSeries(draft, current, event?.exceptions) : draft),
    description: cleared("description"),
    location: cleared("location"),
    url: cleared("url"),
    attendee_ids: draft.attendee_ids ?? (current.attendees.length > 0 ? [] : undefined),
  };
}

/** The same for two versions of a file's event that say the same. */
export function hashContent({ content }: ImportEvent): string {
  const { category, title, description, location, url, label, attendees } = content;
  const { all_day, start_at, start_timezone, end_at, end_timezone, recurrences } = content;
  return shortHash([
    ...[category, title, all_day ?? false, start_at, start_timezone, end_at, end_timezone],
    ...[description || null, location || null, url || null],
    ...[typeof label === "object" ? label.name || label.number : label, attendees ?? []],
    ...(recurrences === undefined ? [] : [recurrences]),
  ]);
}

/** The same for two versions of an event of the calendar that say the same; of a series, whatever its events say on their own. */
export function hashEvent(event: CalendarEvent): string {
  const rule = event.recurrences.filter((line) => !line.startsWith("EXDATE"));
  return shortHash(contentKey(isSeries(event) ? { ...fromFirstSlot(event), recurrences: rule } : event));
}

/** Enough that nothing is taken for the same by chance. */
export function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}
