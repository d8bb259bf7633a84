import type { CalendarEvent } from "../../../contract/shapes.js";
import { exceptionsOf, isSeries, withoutExceptions } from "../../calendar/series.js";
import { CliError, isOutcomeUnknown, wrapError } from "../../errors.js";
import { changes } from "../../events/draft.js";
import { lastUpdate } from "../../events/if-unchanged.js";
import { DEFAULT_LABEL } from "../../events/names.js";
import { write } from "../../events/write.js";
import { hashContent, hashEvent, shortHash } from "../../import/content-hash.js";
import { type ImportEvent, type Known, recordOf, seriesRecord } from "../../import/plan.js";
import { draftOfChange, isAsDrafted, isUntouched, writtenRecord } from "../../import/written-event.js";
import type { ImportRun } from "./import-run.js";
import type { ImportRecords } from "./records.js";

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

/** Removes occurrences from the exceptions of their series. */
interface RestoreStep {
  readonly kind: "restored";
  readonly title: string;
  /** Of the series. */
  readonly identity: string;
  readonly occurrences: readonly ImportEvent[];
}

/** `begun`: a create of a killed run whose event the file does not have any more. */
export type WriteStep =
  | ImportStep
  | RestoreStep
  | { readonly kind: "begun"; readonly identity: string; readonly title: string };

/** @throws CliError changed for an event that somebody changed since it was planned */
export async function writeStep(run: ImportRun, step: WriteStep): Promise<void> {
  switch (step.kind) {
    case "begun":
      await finishCreate(run, step.identity, false);
      return;
    case "restored":
      return restore(run, step);
    case "created":
      return create(run, step);
    case "updated":
      return update(run, step);
    case "deleted":
      return remove(run, step);
  }
}

/** One that a killed run may have created is first created as that run would have created it. */
async function create(
  run: ImportRun,
  { title, event }: Extract<ImportStep, { kind: "created" }>,
): Promise<void> {
  const { identity, slot, isAlone, occurrenceOf } = event;
  if (occurrenceOf !== undefined) return update(run, { kind: "updated", title, event, seen: "" });
  const { records, job, drafter } = run;
  const hash = hashContent(event.content);
  const isNew = !records.begun.has(identity);
  if (isNew) {
    const before = records.byIdentity.get(identity);
    const earlier = before?.undone ?? before?.id ?? null;
    const draft = drafter.draftOf(event);
    const key = shortHash([job.source, identity, hash, earlier]);
    records.note(identity, { key, hash, draft, slot, isAlone, series: seriesRecord(event) });
  }
  const made = await finishCreate(run, identity, isNew);
  if (records.byIdentity.get(identity)?.hash === hash) return;
  await update(run, { kind: "updated", title, event, seen: hashEvent(made) });
}

/** @param isNew whether no earlier run may have sent it; where the service keeps no keys, it is sent only then */
async function finishCreate(run: ImportRun, identity: string, isNew: boolean): Promise<CalendarEvent> {
  const { context, records, calendar } = run;
  const begun = records.begun.get(identity);
  if (begun === undefined) throw new Error(`the create of ${identity} was not begun`);
  const { key, draft, ...known } = begun;
  const api = await context.api();
  const skipFromNowOn = () => records.note(identity, { id: "", left: "", deleted: "elsewhere", ...known });
  const isKeyKept = await api.hasExtension("keys", calendar.id);
  if (!isKeyKept && !isNew) {
    skipFromNowOn();
    throw new CliError("outcome_unknown", UNKNOWN_CREATE, { hint: CREATE_BY_HAND });
  }
  const request = { kind: "create", calendarId: calendar.id, draft } as const;
  const { event: created, isRepeat } = await write(context, { ...request, ...(isKeyKept && { key }) }).catch(
    (error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      if (isOutcomeUnknown(error)) {
        if (isKeyKept || error.code === "interrupted") throw error;
        skipFromNowOn();
        throw wrapError(error, error.code, UNKNOWN_CREATE, { hint: CREATE_BY_HAND });
      }
      if (error.code === "rejected" && [404, 410].includes(error.status ?? 0)) skipFromNowOn();
      else records.note(identity, records.byIdentity.get(identity) ?? null);
      throw error;
    },
  );
  // Somebody may have changed it since a killed run made it.
  const isAsMade = !isRepeat || isAsDrafted(created, draft, exceptedAs(created));
  records.note(identity, { id: created.id, left: isAsMade ? hashEvent(created) : "", ...known });
  return created;
}

/** Whatever was deleted or changed of a series since it was made. */
function exceptedAs({ recurrences }: CalendarEvent): Pick<ImportEvent, "exceptions"> {
  const excepted = exceptionsOf(recurrences);
  return { exceptions: { excepted, isOurs: () => true, isSlot: () => true } };
}

const UNKNOWN_CREATE = "it is unknown whether it was created";
const CREATE_BY_HAND = "check the calendar; if it is missing, create it by hand (imports skip it)";

async function update(
  { context, records, calendar, drafter }: ImportRun,
  { event, seen }: Extract<ImportStep, { kind: "updated" }>,
): Promise<void> {
  const id = recordOf(event, records.byIdentity)?.id;
  if (id === undefined) throw new CliError("rejected", "its series is not in the calendar");
  const api = await context.api();
  const address = { calendarId: calendar.id, eventId: id };
  const current = await api.getEvent(address);
  const draft = drafter.draftOf(event);
  if (seen !== "" || !isAsDrafted(current, draft, event)) requireAsSeen(current, seen);
  const whole = draftOfChange(draft, current, event);
  const before = current.updated_at === null ? null : lastUpdate(current, "import");
  (await context.writes())?.keep(id, records.snapshotOf(event.identity, current));
  const { event: left } = await write(context, {
    ...{ kind: "update", event: current, draft: whole, scope: scopeOf(current) },
    expectedUpdatedAt: before,
  });
  noteWritten(records, event, left);
}

/** Each occurrence is then as its series says, and is changed after that. */
async function restore(
  { context, records, calendar }: ImportRun,
  { identity, occurrences }: RestoreStep,
): Promise<void> {
  const record = records.byIdentity.get(identity);
  if (record?.series === undefined) throw new CliError("rejected", "its series is not in the calendar");
  const api = await context.api();
  const address = { calendarId: calendar.id, eventId: record.id };
  const current = await api.getEvent(address);
  const members = occurrences.map(({ occurrenceOf }) => ({
    id: `${current.id}_${occurrenceOf?.slot}`,
    series_id: current.id,
  }));
  const label = current.label?.id ?? DEFAULT_LABEL;
  const draft = {
    ...changes(current, [{ label }], context.config.settings().timezone),
    recurrences: withoutExceptions(current.recurrences, members),
  };
  (await context.writes())?.keep(current.id, records.snapshotOf(identity, current));
  await write(context, { kind: "update", event: current, draft, scope: "all", expectedUpdatedAt: null });
  const slots = new Set(occurrences.map(({ slot }) => slot));
  const excepted = record.series.excepted.filter((slot) => !slots.has(slot));
  records.note(identity, { ...record, series: { ...record.series, excepted } });
  for (const occurrence of occurrences)
    if (records.byIdentity.has(occurrence.identity)) records.note(occurrence.identity, null);
}

/** Which events of a series a write to one of them means. */
function scopeOf(event: CalendarEvent): "this" | "all" | undefined {
  if (event.series_id === null) return undefined;
  return isSeries(event) ? "all" : "this";
}

/** Remembers an event as a write has left it. An occurrence that is as its series says is nothing of its own. */
function noteWritten(records: ImportRecords, event: ImportEvent, left: CalendarEvent): void {
  // Deletes of single events are exceptions of the series now.
  for (const [part, { deleted }] of records.partsOf(event.identity, left))
    if (deleted === "here") records.note(part, null);
  records.note(event.identity, writtenRecord(event, left));
}

async function remove(
  { context, records, calendar }: ImportRun,
  { known: { identity, record }, seen }: Extract<ImportStep, { kind: "deleted" }>,
): Promise<void> {
  const api = await context.api();
  const address = { calendarId: calendar.id, eventId: record.id };
  const current = await api.getEvent(address);
  requireAsSeen(current, seen);
  (await context.writes())?.keep(record.id, records.snapshotOf(identity, current));
  records.note(identity, { ...record, deleted: "begun" });
  await write(context, { kind: "delete", ...address, event: current, scope: scopeOf(current) });
  for (const [part] of records.partsOf(identity, current)) records.note(part, null);
  records.note(identity, { ...record, deleted: "here" });
}

/** @throws CliError changed */
function requireAsSeen(current: CalendarEvent, seen: string): void {
  if (isUntouched(current) || hashEvent(current) === seen) return;
  throw new CliError("changed", `event ${current.id} was changed since the import was planned`, {
    hint: "run the same command again",
  });
}
