import type { CalendarEvent, EventDraft } from "../../../contract/shapes.js";
import { lastUpdate, wasUpdated } from "../../calendar/if-unchanged.js";
import { exceptionsOf, isOccurrenceId, isSeries } from "../../calendar/series.js";
import { CliError, isOutcomeUnknown, wrapError } from "../../errors.js";
import {
  draftOfChange,
  hashContent,
  hashEvent,
  type ImportEvent,
  isAsDrafted,
  isUntouched,
  type Known,
  occurrenceRecords,
  seriesRecord,
  shortHash,
  writtenRecord,
} from "../../import/plan.js";
import type { EventContext } from "../events/event-reader.js";
import { hasExtension } from "../events/extensions.js";
import { createWithKey, type KeyContext } from "../events/keyed-create.js";
import { processInOrder } from "../process-each.js";
import type { ImportRecords } from "./records.js";

export type ImportContext = EventContext & KeyContext;

/** A write of an import. `seen` is `hashEvent` of the event as it was when the import was planned; empty for an occurrence alike its series. */
export type ImportStep = { readonly title: string } & (
  | { readonly kind: "new"; readonly event: ImportEvent }
  | { readonly kind: "changed"; readonly event: ImportEvent; readonly seen: string }
  | { readonly kind: "gone"; readonly known: Known; readonly seen: string }
);

interface ApplyOptions {
  readonly calendarId: string;
  /** Tells the keys of creates from those of other imports. */
  readonly source: string;
  readonly records: ImportRecords;
  readonly draftOf: (event: ImportEvent) => EventDraft;
  readonly onProgress: (done: number) => void;
}

export interface Applied {
  readonly counts: Readonly<Record<ImportStep["kind"], number>>;
  /** How many of the steps were done. */
  readonly done: number;
  readonly failures: readonly { readonly title: string; readonly error: CliError }[];
  /** What ended it before all was done; undefined if nothing did. */
  readonly stopped: unknown;
}

/** Writes several events at a time, and notes each write, so that a killed run goes on where it was. */
export async function applySteps(
  context: ImportContext,
  steps: readonly ImportStep[],
  options: ApplyOptions,
): Promise<Applied> {
  const { records, onProgress } = options;
  const added = new Set(steps.map((step) => (step.kind === "new" ? step.event.identity : "")));
  const begun = [...records.begun].filter(([identity]) => !added.has(identity));
  const others = begun.map(([identity, { draft }]): Job => ({ kind: "begun", identity, title: draft.title }));
  const counts = { new: 0, changed: 0, gone: 0, begun: 0 };
  const failures: Applied["failures"][number][] = [];
  let stopped: unknown;
  let tried = 0;
  for (const jobs of inPhases([...others, ...steps])) {
    if (stopped !== undefined) break;
    for await (const { item, result } of processInOrder(jobs, (job) => applyStep(context, job, options))) {
      if (result.kind === "done") counts[item.kind] += 1;
      else if (result.kind === "failed") failures.push({ title: item.title, error: result.error });
      else if (result.kind !== "planned") stopped ??= result.error;
      tried += 1;
      onProgress(tried);
    }
  }
  const { begun: _, ...written } = counts;
  return { counts: written, done: written.new + written.changed + written.gone, failures, stopped };
}

/** A create of a killed run whose event the file does not have any more. */
type Job = ImportStep | { readonly kind: "begun"; readonly identity: string; readonly title: string };

/** Occurrences are deleted before their series are written, which may move them, and changed after it. */
function inPhases(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const phaseOf = (job: Job): number => {
    if (job.kind === "gone") return isOccurrenceId(job.known.record.id) ? 0 : 1;
    return job.kind !== "begun" && job.event.occurrenceOf !== undefined ? 2 : 1;
  };
  return [0, 1, 2].map((phase) => jobs.filter((job) => phaseOf(job) === phase));
}

async function applyStep(context: ImportContext, step: Job, options: ApplyOptions): Promise<void> {
  switch (step.kind) {
    case "begun":
      await finishCreate(context, step.identity, options);
      return;
    case "new":
      return create(context, step, options);
    case "changed":
      return update(context, step, options);
    case "gone":
      return remove(context, step, options);
  }
}

/** One that a killed run may have created is first made as that run would have made it. */
async function create(
  context: ImportContext,
  { title, event }: Extract<ImportStep, { kind: "new" }>,
  options: ApplyOptions,
): Promise<void> {
  const { identity, slot, occurrenceOf } = event;
  if (occurrenceOf !== undefined)
    return update(context, { kind: "changed", title, event, seen: "" }, options);
  const { records, source } = options;
  const hash = hashContent(event);
  if (!records.begun.has(identity)) {
    const before = records.records.get(identity);
    const earlier = before?.undone ?? before?.id ?? null;
    const draft = options.draftOf(event);
    const key = shortHash([source, identity, hash, earlier]);
    records.begin(identity, { key, hash, draft, slot, series: seriesRecord(event) });
  }
  const made = await finishCreate(context, identity, options);
  if (records.records.get(identity)?.hash === hash) return;
  await update(context, { kind: "changed", title, event, seen: hashEvent(made) }, options);
}

async function finishCreate(
  context: ImportContext,
  identity: string,
  { records, calendarId }: ApplyOptions,
): Promise<CalendarEvent> {
  const begun = records.begun.get(identity);
  if (begun === undefined) throw new Error(`the create of ${identity} was not begun`);
  const { key, draft, ...known } = begun;
  try {
    const { created, isRepeat } = await createWithKey(context, { calendarId, draft, key });
    // Somebody may have changed it since a killed run made it.
    const isAsMade = !isRepeat || isAsDrafted(created, draft, exceptedAs(created));
    records.set(identity, { id: created.id, left: isAsMade ? hashEvent(created) : "", ...known });
    return created;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (isOutcomeUnknown(error)) throw await explainUnknown(context, error, calendarId);
    if (error.code === "rejected" && [404, 410].includes(error.status ?? 0))
      records.set(identity, { id: "", left: "", deleted: "elsewhere", ...known });
    else records.forget(identity);
    throw error;
  }
}

/** Whatever was deleted or changed of a series since it was made. */
function exceptedAs({ recurrences }: CalendarEvent): Pick<ImportEvent, "exceptions"> {
  const excepted = exceptionsOf(recurrences);
  return { exceptions: { excepted, isOurs: () => true, isSlot: () => true } };
}

/** With a key that the service keeps, the same command asks again; this machine only knows that it may be there. */
async function explainUnknown(
  context: ImportContext,
  error: CliError,
  calendarId: string,
): Promise<CliError> {
  if (error.code === "interrupted" || (await hasExtension(await context.api(), "keys", calendarId)))
    return error;
  return wrapError(error, error.code, "it is unknown whether it was created", {
    hint: "look for it in the calendar, and create it there if it is missing: an import does not for 30 days",
  });
}

async function update(
  context: ImportContext,
  { event, seen }: Extract<ImportStep, { kind: "changed" }>,
  { records, calendarId, draftOf }: ApplyOptions,
): Promise<void> {
  const { occurrenceOf } = event;
  const series = occurrenceOf && requireRecord(records, occurrenceOf.series);
  const id = series ? `${series.id}_${occurrenceOf?.slot}` : requireRecord(records, event.identity).id;
  const api = await context.api();
  const address = { calendarId, eventId: id };
  const current = await api.getEvent(address);
  const draft = draftOf(event);
  if (seen !== "" || !isAsDrafted(current, draft, event)) requireAsSeen(current, seen);
  const whole = draftOfChange(draft, current, event);
  const before = current.updated_at === null ? null : lastUpdate(current, "import");
  const isApplied = (found: CalendarEvent) =>
    before !== null && wasUpdated(found, { seen: before, draft: whole });
  const memo = memoOf(records, event.identity, current);
  const { event: left } = await api.updateEvent(address, whole, { isApplied, scope: scopeOf(current), memo });
  noteWritten(records, event, left);
}

/** Which events of a series a write to one of them means. */
function scopeOf(event: CalendarEvent): "this" | "all" | undefined {
  if (event.series_id === null) return undefined;
  return isSeries(event) ? "all" : "this";
}

/** What is remembered of an event that is about to be written, and of those of a series. */
function memoOf(records: ImportRecords, identity: string, current: CalendarEvent) {
  const parts = isSeries(current) ? occurrenceRecords(records.records, identity) : [];
  return records.memoOf([identity, ...parts.map(([part]) => part)]);
}

/** Remembers an event as a write has left it. An occurrence that is as its series says is nothing of its own. */
function noteWritten(records: ImportRecords, event: ImportEvent, left: CalendarEvent): void {
  // Deletes of single events are exceptions of the series now.
  for (const [part, { deleted }] of isSeries(left) ? occurrenceRecords(records.records, event.identity) : [])
    if (deleted === "here") records.remove(part);
  if (isUntouched(left)) records.remove(event.identity);
  else records.set(event.identity, writtenRecord(event, left));
}

async function remove(
  context: ImportContext,
  { known: { identity, record }, seen }: Extract<ImportStep, { kind: "gone" }>,
  { records, calendarId }: ApplyOptions,
): Promise<void> {
  const api = await context.api();
  const address = { calendarId, eventId: record.id };
  const current = await api.getEvent(address);
  requireAsSeen(current, seen);
  const memo = memoOf(records, identity, current);
  records.set(identity, { ...record, deleted: "begun" });
  await api.deleteEvent(address, scopeOf(current), memo);
  for (const [part] of isSeries(current) ? occurrenceRecords(records.records, identity) : [])
    records.remove(part);
  records.set(identity, { ...record, deleted: "here" });
}

function requireRecord(records: ImportRecords, identity: string) {
  const record = records.records.get(identity);
  if (record !== undefined) return record;
  throw new Error(`${identity} was never imported`);
}

/** @throws CliError changed */
function requireAsSeen(current: CalendarEvent, seen: string): void {
  if (isUntouched(current) || hashEvent(current) === seen) return;
  throw new CliError("changed", `event ${current.id} was changed since the import was planned`, {
    hint: "run the same command again",
  });
}
