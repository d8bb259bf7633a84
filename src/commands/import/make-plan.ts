import type { Event, EventDraft } from "../../../contract/shapes.js";
import { firstFailure } from "../../cli/items.js";
import { nullOn } from "../../errors.js";
import { replacing, says } from "../../events/content.js";
import type { ChosenCalendar } from "../../events/find/calendar-choice.js";
import {
  type ImportRecord,
  type ImportRecords,
  isSeriesRecord,
  occurrenceRecords,
  seriesOf,
} from "../../events/imported/records.js";
import { localTimes } from "../../events/localized-event.js";
import type { Named } from "../../events/names.js";
import { createRelatedResolver, DEFAULT_LABEL } from "../../events/related.js";
import { exceptionsOf, isOccurrenceId, isSeries } from "../../events/repeat/series.js";
import { describeWhen } from "../../events/views/event-when.js";
import type { Run } from "../../run/run.js";
import { addDays } from "../../time/zoned-time.js";
import { hashContent, hashEvent } from "./entry.js";
import { compareWithRecords, type ImportEvent, type Known, seriesRecord } from "./plan.js";
import type { ReadSource } from "./read-source.js";
import { draftOfSeries, repeatsAs } from "./series.js";
import type { ImportExamples, ImportReport } from "./view.js";

/** A write of an import. `seen` is `hashEvent` of the event as it was when the import was planned; empty for an occurrence alike its series. */
export type ImportStep = { readonly title: string } & (
  | {
      readonly kind: "created";
      readonly event: ImportEvent;
      /** Whether it is an occurrence that imports have excepted from its series. */
      readonly isExcepted?: boolean;
    }
  | { readonly kind: "updated"; readonly event: ImportEvent; readonly seen: string }
  | { readonly kind: "deleted"; readonly known: Known; readonly seen: string }
);

/** An event to which nothing is written. */
interface Unchanged {
  readonly kind: "unchanged" | "conflicts";
  readonly title: string;
  readonly identity: string;
  /** What is remembered from now on: null for nothing, undefined for the same as before. */
  readonly record?: ImportRecord | null | undefined;
}

/** What becomes of an event, as it is counted. */
type Classified = ImportStep | Unchanged;

/** What an import would do. */
export interface ImportPlan {
  readonly steps: readonly ImportStep[];
  readonly untouched: readonly Unchanged[];
  readonly counts: Omit<ImportReport, "source" | "rejected">;
  readonly examples: ImportExamples;
  /** How many events of the calendar came from the source before, and how many of them are not in the file any more. */
  readonly before: number;
  readonly missing: number;
  /** How many of the missing ones are deleted. */
  readonly pruned: number;
}

interface PlanOptions {
  readonly run: Run;
  readonly calendarId: string;
  readonly read: Pick<ReadSource, "source" | "superseded">;
  readonly drafter: Drafter;
  readonly records: ImportRecords;
  /** Whether what is not in the file any more is deleted. */
  readonly prune: boolean;
  /** Whether what somebody changed is overwritten. */
  readonly overwrite: boolean;
}

const EXAMPLES = 5;

/**
 * Compares a file with what was imported before, and what changed in it with the calendar: only that is read.
 */
export async function makePlan(options: PlanOptions): Promise<ImportPlan> {
  const { run, read, records, drafter, prune } = options;
  const { added, changed, cancelled, missing, unchanged, before } = compareWithRecords(
    read.source,
    records.byIdentity,
  );
  for (const event of added) await drafter.prepare(event);
  for (const { event } of changed) await drafter.prepare(event);
  const others = [...cancelled, ...(prune ? missing : [])];
  const deleted = new Set(
    others.filter(({ record }) => isSeriesRecord(record)).map(({ identity }) => identity),
  );
  // What is left of a series goes with it, and is unchanged where the file cancels it, too.
  const isPart = ({ identity, record }: Known) =>
    isOccurrenceId(record.id) && deleted.has(seriesOf(identity));
  const candidates: readonly Known[] = [...changed, ...others.filter((each) => !isPart(each))];
  const found = new Map<string, Classified>();
  const classifying = { ...options, listed: await readListed(options, candidates) };
  const classifyAll = async (some: readonly Known[]) => {
    const failure = await firstFailure(some, async (known) => {
      found.set(known.identity, await classify(classifying, known, found));
    });
    if (failure !== undefined) throw failure;
  };
  await classifyAll(candidates.filter(({ event }) => event?.occurrenceOf === undefined));
  await classifyAll(candidates.filter(({ event }) => event?.occurrenceOf !== undefined));
  const created = added.map((event): Classified => ({ kind: "created", title: event.content.title, event }));
  const classified = [...created, ...found.values()];
  const entries = new Set(read.source.entries);
  const parts = others.filter((each) => isPart(each) && entries.has(each.identity)).length;
  const counted = countClassified(classified, unchanged + parts + read.superseded);
  const absent = new Set(missing.map(({ identity }) => identity));
  const pruned = counted.steps.filter(
    (step) => step.kind === "deleted" && absent.has(step.known.identity),
  ).length;
  return { ...counted, examples: examplesOf(classified, run), before, missing: missing.length, pruned };
}

/** From this number on, events are read from the list: 500 with a request, of which a service allows some hundreds at a time. */
const MANY = 100;

/** What the service's list has of many events that the file changes; nothing of few, or where it has no such list. */
async function readListed(
  { run, calendarId }: PlanOptions,
  known: readonly Known[],
): Promise<ReadonlyMap<string, Event>> {
  const listed = new Map<string, Event>();
  // No list has series.
  const isListed = ({ record }: Known) => record.deleted === undefined && !isSeriesRecord(record);
  const ids = new Set(known.filter(isListed).map(({ record }) => record.id));
  const days = known.flatMap(({ event }) => event?.content.start_at?.slice(0, 10) ?? []).sort();
  const [first = "", last = first] = [days[0], days.at(-1)];
  if (ids.size < MANY || first === "") return listed;
  const range = { from: addDays(first, -1), to: addDays(last, 1), timezone: "UTC", search: null };
  const list = await (await run.api()).listEvents({ calendarId, ...range });
  let pages = ids.size / 2;
  for await (const page of list?.pages ?? []) {
    for (const event of page) if (ids.delete(event.id)) listed.set(event.id, event);
    pages -= 1;
    // What is left is read one by one.
    if (ids.size === 0 || pages < 1) break;
  }
  return listed;
}

function countClassified(classified: readonly Classified[], unchanged: number) {
  const counts = { created: 0, updated: 0, unchanged, deleted: 0, conflicts: 0 };
  for (const { kind } of classified) counts[kind] += 1;
  return {
    steps: classified.filter((each) => !isUnchanged(each)),
    untouched: classified.filter(isUnchanged),
    counts,
  };
}

/** Titles of each kind; of a single event that is written, with its times. */
function examplesOf(classified: readonly Classified[], { config }: Run) {
  const { timezone: zone, hours } = config.settings();
  const titlesOf = (kind: Classified["kind"]) => {
    const some = classified.filter((each) => each.kind === kind);
    const [only] = some;
    if (some.length > 1 || only === undefined || !("event" in only) || only.event === undefined)
      return some.slice(0, EXAMPLES).map(({ title }) => title);
    const { start_at = null, end_at = null, all_day = null } = only.event.content;
    const when = describeWhen(localTimes({ start_at, end_at, all_day }, zone), { year: true, hours, zone });
    return [`${only.title}  ${when.replace("  ", " ")}`.trimEnd()];
  };
  const [created, updated] = [titlesOf("created"), titlesOf("updated")];
  return { created, updated, deleted: titlesOf("deleted"), conflicts: titlesOf("conflicts") };
}

function isUnchanged(classified: Classified): classified is Unchanged {
  return classified.kind === "unchanged" || classified.kind === "conflicts";
}

/** A plan whose events are classified. */
interface Classifying extends PlanOptions {
  /** Events of the calendar that were read already, by their ids. */
  readonly listed: ReadonlyMap<string, Event>;
}

/**
 * An event that is as the import left it gets what the file changes, and is deleted where the file lacks it. One that somebody
 * changed is left alone; `--overwrite` updates it, too, but never deletes it. An occurrence that the file changes for
 * the first time is written after its series.
 * @param found what becomes of the events classified before: an occurrence is classified after its series
 */
async function classify(
  classifying: Classifying,
  known: Known,
  found: ReadonlyMap<string, Classified>,
): Promise<Classified> {
  const { record, event } = known;
  const series = found.get(event?.occurrenceOf?.series ?? "");
  if (event !== undefined && series?.kind === "created")
    return { kind: "created", title: event.content.title, event };
  const current = record.deleted === "by_user" ? null : await readEvent(classifying, record.id);
  const title = event?.content.title ?? current?.title ?? "";
  const isFirst = event !== undefined && series?.kind === "updated" && record.lastWrittenHash === "";
  if (
    isFirst &&
    (current === null ? await isMadeWith(classifying, series.event, event) : isUntouched(current))
  )
    return { kind: "updated", title, event, seen: "" };
  if (current !== null) return classifyFound(classifying, { title, ...known }, current);
  const isExcepted = await isExceptedByImport(classifying, known);
  if (event !== undefined && series?.kind !== "updated" && isExcepted)
    return { kind: "created", title, event, isExcepted };
  return classifyDeleted(known, title, isExcepted);
}

async function classifyFound(
  classifying: Classifying,
  known: Known & { readonly title: string },
  current: Event,
): Promise<Classified> {
  const { title, record, event, identity } = known;
  const seen = hashEvent(current);
  const isAsLeft = record.lastWrittenHash === "" ? isUntouched(current) : seen === record.lastWrittenHash;
  if (event === undefined) {
    const isWhole = isAsLeft && (!isSeries(current) || (await isAsImported(classifying, known, current)));
    return isWhole ? { kind: "deleted", title, known, seen } : { kind: "conflicts", title, identity };
  }
  if (isAsDrafted(current, classifying.drafter.draftOf(event), event))
    return { kind: "unchanged", title, identity, record: writtenRecord(event, current) };
  return isAsLeft || classifying.overwrite
    ? { kind: "updated", title, event, seen }
    : { kind: "conflicts", title, identity };
}

/** Whether an occurrence that is not there is made with its series: unless somebody deleted it. */
async function isMadeWith(
  classifying: Classifying,
  series: ImportEvent,
  { originalStart = 0 }: ImportEvent,
): Promise<boolean> {
  const current = await readEvent(classifying, classifying.records.byIdentity.get(series.identity)?.id ?? "");
  return (
    !exceptionsOf(current?.recurrences).includes(originalStart) ||
    series.exceptions?.isOurs(originalStart) !== false
  );
}

/** Whether an occurrence is not there because an import has excepted it from its series: it was rejected or cancelled. */
async function isExceptedByImport(classifying: Classifying, { identity, record }: Known): Promise<boolean> {
  const { originalStart } = record;
  const { byIdentity } = classifying.records;
  const series = byIdentity.get(seriesOf(identity));
  if (originalStart === undefined || series === undefined || record.deleted === "by_user") return false;
  const { deleted } = byIdentity.get(identity) ?? {};
  const isDeleted = deleted === "by_import" || deleted === "pending";
  if (!isDeleted && series.series?.excepted.includes(originalStart) !== true) return false;
  const current = await readEvent(classifying, series.id);
  return exceptionsOf(current?.recurrences).includes(originalStart);
}

/** Whether nobody has changed or deleted a single event of a series. */
async function isAsImported(
  classifying: Classifying,
  { identity, record: { series } }: Known,
  { recurrences }: Event,
): Promise<boolean> {
  const parts = occurrenceRecords(classifying.records.byIdentity, identity);
  const ours = new Set([...(series?.excepted ?? []), ...parts.map(([, { originalStart }]) => originalStart)]);
  if (exceptionsOf(recurrences).some((originalStart) => !ours.has(originalStart))) return false;
  for (const [, { id, lastWrittenHash, deleted }] of parts) {
    if (deleted === "by_import") continue;
    const current = await readEvent(classifying, id);
    if (current === null || hashEvent(current) !== lastWrittenHash) return false;
  }
  return true;
}

/** Somebody deleted it, or an import: with its series, or killed before it had noted that. */
function classifyDeleted({ identity, record, event }: Known, title: string, isExcepted: boolean): Classified {
  const isKilled = record.deleted === "pending";
  if (isKilled && event !== undefined) return { kind: "created", title, event };
  const isOurs = isKilled || (event === undefined && isExcepted);
  const deleted: ImportRecord = { ...record, deleted: isOurs ? "by_import" : "by_user" };
  return { kind: event === undefined ? "unchanged" : "conflicts", title, identity, record: deleted };
}

/** Null for one that was deleted. */
async function readEvent({ run, calendarId, listed }: Classifying, eventId: string): Promise<Event | null> {
  const event = listed.get(eventId);
  if (event !== undefined) return event;
  const api = await run.api();
  return api.getEvent({ calendarId, eventId }).catch(nullOn("not_found"));
}

export type Drafter = Awaited<ReturnType<typeof createDrafter>>;

/**
 * Makes drafts of a file's events. A label that the calendar does not have becomes the given one, and who is no member is
 * left out; `notes` says so, once each.
 * @param given the label of events without one: by default the profile's, then the default label
 * @throws CliError not_found for a given label that the calendar does not have
 */
export async function createDrafter(run: Run, calendar: ChosenCalendar, given: string | undefined) {
  const named = given === undefined ? undefined : { value: given, source: "--label" };
  const preset = named ?? run.config.settings().setting("label");
  const resolver = createRelatedResolver(run, calendar.id);
  const presetId = (preset && (await resolver.labelId(preset))) ?? DEFAULT_LABEL;
  const presetName = named === undefined ? "the default one" : "that of --label";
  const place = calendar.name || calendar.id;
  /** By name or composite id. */
  const labels = new Map<string, string>();
  const noLabels = new Set<string>();
  /** Null for who is no member, or for several of a name. */
  const attendees = new Map<string, string | null>();
  const findLabel = async (label: Named): Promise<void> => {
    if (labels.has(keyOf(label))) return;
    const id = await resolver.labelId(label).catch(nullIfUnclear);
    labels.set(keyOf(label), id ?? presetId);
    if (id === null) noLabels.add(label.value);
  };
  const findAttendee = async (named: Named): Promise<void> => {
    if (attendees.has(named.value)) return;
    const ids = await resolver.attendeeIds([named]).catch(nullIfUnclear);
    attendees.set(named.value, ids?.[0] ?? null);
  };
  return {
    /** Finds the labels and attendees of an event, which `draftOf` needs. Each is looked for once. */
    async prepare({ content: { label, attendees: named = [] } }: ImportEvent): Promise<void> {
      if (label !== undefined) await findLabel(label);
      for (const each of named) await findAttendee(each);
    },
    draftOf({ content: { label, attendees: named, ...content } }: ImportEvent): EventDraft {
      const labelId = (label && labels.get(keyOf(label))) ?? presetId;
      const ids = named && [...new Set(named.flatMap(({ value }) => attendees.get(value) ?? []))];
      return { ...content, label: labelId, attendees: ids };
    },
    notes(): readonly string[] {
      const unknown = [...noLabels].join(", ");
      const others = [...attendees].flatMap(([name, id]) => (id === null ? [name] : [])).join(", ");
      return [
        ...(unknown === "" ? [] : [`${place} has no label ${unknown}: these events get ${presetName}`]),
        ...(others === "" ? [] : [`left out, as no members of ${place}: ${others}`]),
      ];
    },
  };
}

function keyOf({ value, printed }: Named): string {
  return printed?.id ?? value;
}

/** For `catch`: null where a name means nothing, or several have it. */
const nullIfUnclear = nullOn("not_found", "usage");

/** What is remembered of an event that says what the file says; null for an occurrence that is as its series says. */
export function writtenRecord(event: ImportEvent, written: Event): ImportRecord | null {
  if (isUntouched(written)) return null;
  const hash = hashContent(event.content);
  const { originalStart, isAlone } = event;
  return {
    id: written.id,
    hash,
    lastWrittenHash: hashEvent(written),
    originalStart,
    isAlone,
    series: seriesRecord(event),
  };
}

/** Whether an occurrence is as its series says. */
export function isUntouched(event: Event): boolean {
  return event.series_id !== null && !isSeries(event) && event.recurrences.length > 0;
}

/** Whether an event says what would be written. */
export function isAsDrafted(
  current: Event,
  draft: EventDraft,
  event: Pick<ImportEvent, "exceptions">,
): boolean {
  const wanted = draftOfChange(draft, current, event);
  return says(current, wanted) && (!wanted.recurrences || repeatsAs(wanted, current));
}

/** What replaces an event: what the file does not have is cleared. */
export function draftOfChange(
  draft: EventDraft,
  current: Event,
  { exceptions }: Pick<ImportEvent, "exceptions">,
): EventDraft {
  return replacing(current, isSeries(current) ? draftOfSeries(draft, current, exceptions) : draft);
}
