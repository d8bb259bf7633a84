import type { CalendarEvent } from "../../../contract/shapes.js";
import { exceptionsOf, isSeries } from "../../calendar/series.js";
import { nullOn } from "../../errors.js";
import { hashEvent } from "../../import/content-hash.js";
import {
  type ImportEvent,
  type ImportRecord,
  type Known,
  occurrenceRecords,
  seriesOf,
} from "../../import/plan.js";
import { isAsDrafted, isUntouched, writtenRecord } from "../../import/written-event.js";
import type { ImportRun } from "./import-run.js";
import type { ImportStep } from "./write-step.js";

/** What becomes of an event, as it is counted. */
export type Judged = ImportStep | Settled;

/** A run whose events are judged. */
interface Judging extends ImportRun {
  /** Events of the calendar that were read already, by their ids. */
  readonly listed: ReadonlyMap<string, CalendarEvent>;
}

/** An event to which nothing is written. */
export interface Settled {
  readonly kind: "unchanged" | "conflicts";
  readonly title: string;
  readonly identity: string;
  /** What is remembered from now on: null for nothing, undefined for the same as before. */
  readonly record?: ImportRecord | null | undefined;
}

/**
 * What the file changes is written, and what it does not have any more is deleted, where the event is as the import left it;
 * with `--overwrite`, what somebody changed is overwritten as well, but never deleted. An occurrence that the file changes for
 * the first time is written after its series.
 * @param found what becomes of the events judged before: an occurrence is judged after its series
 */
export async function judgeCandidate(
  run: Judging,
  known: Known,
  found: ReadonlyMap<string, Judged>,
): Promise<Judged> {
  const { record, event } = known;
  const series = found.get(event?.occurrenceOf?.series ?? "");
  if (event !== undefined && series?.kind === "created")
    return { kind: "created", title: event.content.title, event };
  const current = record.deleted === "elsewhere" ? null : await readEvent(run, record.id);
  const title = event?.content.title ?? current?.title ?? "";
  const isFirst = event !== undefined && series?.kind === "updated" && record.left === "";
  if (isFirst && (current === null ? await isMadeWith(run, series.event, event) : isUntouched(current)))
    return { kind: "updated", title, event, seen: "" };
  if (current !== null) return judgeFound(run, { title, ...known }, current);
  const isExcepted = await isExceptedByImport(run, known);
  if (event !== undefined && series?.kind !== "updated" && isExcepted)
    return { kind: "created", title, event, isExcepted };
  return judgeDeleted(known, title, isExcepted);
}

async function judgeFound(
  run: Judging,
  known: Known & { readonly title: string },
  current: CalendarEvent,
): Promise<Judged> {
  const { title, record, event, identity } = known;
  const seen = hashEvent(current);
  const isAsLeft = record.left === "" ? isUntouched(current) : seen === record.left;
  if (event === undefined) {
    const isWhole = isAsLeft && (!isSeries(current) || (await isAsImported(run, known, current)));
    return isWhole ? { kind: "deleted", title, known, seen } : { kind: "conflicts", title, identity };
  }
  if (isAsDrafted(current, run.drafter.draftOf(event), event))
    return { kind: "unchanged", title, identity, record: writtenRecord(event, current) };
  return isAsLeft || run.flags.overwrite === true
    ? { kind: "updated", title, event, seen }
    : { kind: "conflicts", title, identity };
}

/** Whether an occurrence that is not there is made with its series: unless somebody deleted it. */
async function isMadeWith(run: Judging, series: ImportEvent, { slot = 0 }: ImportEvent): Promise<boolean> {
  const current = await readEvent(run, run.records.byIdentity.get(series.identity)?.id ?? "");
  return !exceptionsOf(current?.recurrences).includes(slot) || series.exceptions?.isOurs(slot) !== false;
}

/** Whether an occurrence is not there because an import has excepted it from its series: it was rejected or cancelled. */
async function isExceptedByImport(run: Judging, { identity, record }: Known): Promise<boolean> {
  const { slot } = record;
  const { byIdentity } = run.records;
  const series = byIdentity.get(seriesOf(identity));
  if (slot === undefined || series === undefined || record.deleted === "elsewhere") return false;
  const { deleted } = byIdentity.get(identity) ?? {};
  const isDeleted = deleted === "here" || deleted === "begun";
  if (!isDeleted && series.series?.excepted.includes(slot) !== true) return false;
  const current = await readEvent(run, series.id);
  return exceptionsOf(current?.recurrences).includes(slot);
}

/** Whether nobody has changed or deleted a single event of a series. */
async function isAsImported(
  run: Judging,
  { identity, record: { series } }: Known,
  { recurrences }: CalendarEvent,
): Promise<boolean> {
  const parts = occurrenceRecords(run.records.byIdentity, identity);
  const ours = new Set([...(series?.excepted ?? []), ...parts.map(([, { slot }]) => slot)]);
  if (exceptionsOf(recurrences).some((slot) => !ours.has(slot))) return false;
  for (const [, { id, left, deleted }] of parts) {
    if (deleted === "here") continue;
    const current = await readEvent(run, id);
    if (current === null || hashEvent(current) !== left) return false;
  }
  return true;
}

/** Somebody deleted it, or an import: with its series, or killed before it had noted that. */
function judgeDeleted({ identity, record, event }: Known, title: string, isExcepted: boolean): Judged {
  const isKilled = record.deleted === "begun";
  if (isKilled && event !== undefined) return { kind: "created", title, event };
  const isOurs = isKilled || (event === undefined && isExcepted);
  const deleted: ImportRecord = { ...record, deleted: isOurs ? "here" : "elsewhere" };
  return { kind: event === undefined ? "unchanged" : "conflicts", title, identity, record: deleted };
}

/** Null for one that was deleted. */
async function readEvent(
  { context, calendar, listed }: Judging,
  eventId: string,
): Promise<CalendarEvent | null> {
  const event = listed.get(eventId);
  if (event !== undefined) return event;
  const api = await context.api();
  return api.getEvent({ calendarId: calendar.id, eventId }).catch(nullOn("not_found"));
}
