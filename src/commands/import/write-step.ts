import type { CalendarEvent } from "../../../contract/shapes.js";
import { exceptionsOf, isSeries, withoutExceptions } from "../../calendar/series.js";
import { CliError, isOutcomeUnknown, wrapError } from "../../errors.js";
import { changes } from "../../events/draft.js";
import { lastUpdate } from "../../events/if-unchanged.js";
import { DEFAULT_LABEL } from "../../events/names.js";
import { type Written, write } from "../../events/write.js";
import { hashContent, hashEvent, shortHash } from "../../import/content-hash.js";
import {
  type ImportEvent,
  type ImportRecord,
  type Known,
  recordOf,
  seriesRecord,
} from "../../import/plan.js";
import { draftOfChange, isAsDrafted, isUntouched, writtenRecord } from "../../import/written-event.js";
import { writeImported } from "../../state/imported.js";
import type { StateTransaction } from "../../state/state.js";
import type { ImportRun } from "./import-run.js";
import { type ImportRecords, type PendingCreate, SKIPPED } from "./records.js";

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
      await createPending(run, step.identity, null);
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
  const before = records.byIdentity.get(identity);
  const earlier = before?.undone ?? before?.id ?? null;
  const key = shortHash([job.source, identity, hash, earlier]);
  const draft = drafter.draftOf(event);
  const pending = { key, hash, draft, slot, isAlone, series: seriesRecord(event) };
  const made = await createPending(run, identity, pending);
  if (records.byIdentity.get(identity)?.hash === hash) return;
  await update(run, { kind: "updated", title, event, seen: hashEvent(made) });
}

/**
 * Creates an event. Where the service keeps no keys, one that an earlier run may have created is not created again.
 * @param wanted null for no other than what an earlier run began, which comes first
 */
async function createPending(
  run: ImportRun,
  identity: string,
  wanted: PendingCreate | null,
): Promise<CalendarEvent> {
  const { context, state, records, calendar } = run;
  const begun = records.pending.get(identity);
  const pending = begun ?? wanted;
  if (pending === null) throw new Error(`the create of ${identity} was not begun`);
  const { key, draft, ...known } = pending;
  const skipped: ImportRecord = { ...SKIPPED, ...known };
  const skip = () => writeImported(state, (db) => records.note(db, identity, skipped));
  const isKeyKept = await (await context.api()).hasExtension("keys", calendar.id);
  if (!isKeyKept && begun !== undefined) {
    await skip();
    throw new CliError("outcome_unknown", UNKNOWN_CREATE, { hint: CREATE_BY_HAND });
  }
  const before = records.byIdentity.get(identity) ?? null;
  const { event } = await write(context, {
    kind: "create",
    ...{ calendarId: calendar.id, draft, key: isKeyKept ? key : undefined },
    also: {
      ...alsoOf(run, identity, null),
      begun: (db) => records.notePending(db, identity, pending),
      done: noteOnce(records, ({ event: created, isRepeat }: Written) => {
        // Somebody may have changed it since a killed run made it.
        const isAsMade = !isRepeat || isAsDrafted(created, draft, exceptedAs(created));
        return [[identity, { id: created.id, left: isAsMade ? hashEvent(created) : "", ...known }]];
      }),
      refused: noteOnce(records, ({ code, status = 0 }: CliError) => [
        [identity, code === "rejected" && [404, 410].includes(status) ? skipped : before],
      ]),
    },
  }).catch(async (error: unknown) => {
    if (!(error instanceof CliError) || !isOutcomeUnknown(error) || isKeyKept || error.code === "interrupted")
      throw error;
    await skip();
    throw wrapError(error, error.code, UNKNOWN_CREATE, { hint: CREATE_BY_HAND });
  });
  return event;
}

type Change = readonly [identity: string, record: ImportRecord | null];

/** What notes changes, which are found once: a transaction may be repeated. */
function noteOnce<T>(records: ImportRecords, find: (value: T) => readonly Change[]) {
  let changes: readonly Change[] | undefined;
  return (db: StateTransaction, value: T): void => {
    changes ??= find(value);
    for (const [identity, record] of changes) records.note(db, identity, record);
  };
}

/** What is noted of a write to an event, and restored by an undo: by default nothing else than its rows. */
function alsoOf({ state, records }: ImportRun, identity: string, current: CalendarEvent | null) {
  return {
    imported: records.rowsOf(identity, current),
    transact: (work: (db: StateTransaction) => void) => writeImported(state, work),
    begun: () => undefined,
    refused: () => undefined,
  };
}

/** Whatever was deleted or changed of a series since it was made. */
function exceptedAs({ recurrences }: CalendarEvent): Pick<ImportEvent, "exceptions"> {
  const excepted = exceptionsOf(recurrences);
  return { exceptions: { excepted, isOurs: () => true, isSlot: () => true } };
}

const UNKNOWN_CREATE = "it is unknown whether it was created";
const CREATE_BY_HAND = "check the calendar; if it is missing, create it by hand (imports skip it)";

async function update(
  run: ImportRun,
  { event, seen }: Extract<ImportStep, { kind: "updated" }>,
): Promise<void> {
  const { context, records, calendar, drafter } = run;
  const id = recordOf(event, records.byIdentity)?.id;
  if (id === undefined) throw new CliError("rejected", "its series is not in the calendar");
  const api = await context.api();
  const current = await api.getEvent({ calendarId: calendar.id, eventId: id });
  const draft = drafter.draftOf(event);
  if (seen !== "" || !isAsDrafted(current, draft, event)) requireAsSeen(current, seen);
  const before = current.updated_at === null ? null : lastUpdate(current, "import");
  await write(context, {
    kind: "update",
    ...{ event: current, draft: draftOfChange(draft, current, event) },
    ...{ scope: scopeOf(current), expectedUpdatedAt: before },
    also: {
      ...alsoOf(run, event.identity, current),
      done: noteOnce(records, ({ event: left }: Written) => [
        // Deletes of single events are exceptions of the series now.
        ...forgotten(records.partsOf(event.identity, left).filter(([, { deleted }]) => deleted === "here")),
        [event.identity, writtenRecord(event, left)],
      ]),
    },
  });
}

function forgotten(parts: ReturnType<ImportRecords["partsOf"]>): readonly Change[] {
  return parts.map(([identity]) => [identity, null]);
}

/** Each occurrence is then as its series says, and is changed after that. */
async function restore(run: ImportRun, { identity, occurrences }: RestoreStep): Promise<void> {
  const { context, records, calendar } = run;
  const record = records.byIdentity.get(identity);
  const { series } = record ?? {};
  if (record === undefined || series === undefined)
    throw new CliError("rejected", "its series is not in the calendar");
  const api = await context.api();
  const current = await api.getEvent({ calendarId: calendar.id, eventId: record.id });
  const members = occurrences.map(({ occurrenceOf }) => ({
    id: `${current.id}_${occurrenceOf?.slot}`,
    series_id: current.id,
  }));
  const label = current.label?.id ?? DEFAULT_LABEL;
  const draft = {
    ...changes(current, [{ label }], context.config.settings().timezone),
    recurrences: withoutExceptions(current.recurrences, members),
  };
  const slots = new Set(occurrences.map(({ slot }) => slot));
  const excepted = series.excepted.filter((slot) => !slots.has(slot));
  const known = occurrences.filter((occurrence) => records.byIdentity.has(occurrence.identity));
  await write(context, {
    kind: "update",
    ...{ event: current, draft, scope: "all", expectedUpdatedAt: null },
    also: {
      ...alsoOf(run, identity, current),
      done: noteOnce(records, () => [
        [identity, { ...record, series: { ...series, excepted } }],
        ...known.map(({ identity: part }): Change => [part, null]),
      ]),
    },
  });
}

/** Which events of a series a write to one of them means. */
function scopeOf(event: CalendarEvent): "this" | "all" | undefined {
  if (event.series_id === null) return undefined;
  return isSeries(event) ? "all" : "this";
}

async function remove(
  run: ImportRun,
  { known: { identity, record }, seen }: Extract<ImportStep, { kind: "deleted" }>,
): Promise<void> {
  const { context, records, calendar } = run;
  const api = await context.api();
  const address = { calendarId: calendar.id, eventId: record.id };
  const current = await api.getEvent(address);
  requireAsSeen(current, seen);
  await write(context, {
    kind: "delete",
    ...{ ...address, event: current, scope: scopeOf(current) },
    also: {
      ...alsoOf(run, identity, current),
      begun: (db) => records.note(db, identity, { ...record, deleted: "begun" }),
      done: noteOnce(records, (_: null) => [
        ...forgotten(records.partsOf(identity, current)),
        [identity, { ...record, deleted: "here" }],
      ]),
    },
  });
}

/** @throws CliError changed */
function requireAsSeen(current: CalendarEvent, seen: string): void {
  if (isUntouched(current) || hashEvent(current) === seen) return;
  throw new CliError("changed", `event ${current.id} was changed since the import was planned`, {
    hint: "run the same command again",
  });
}
