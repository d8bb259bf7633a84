import type { Event, EventDraft } from "../../../contract/shapes.js";
import { type Attempted, processInOrder } from "../../cli/items.js";
import { CliError, isOutcomeUnknown, wrapError } from "../../errors.js";
import { lastUpdate } from "../../events/content.js";
import { changes } from "../../events/draft.js";
import {
  type ImportRecord,
  type ImportRecords,
  type PendingCreate,
  type RecordChange,
  SKIPPED,
} from "../../events/imported/records.js";
import { DEFAULT_LABEL } from "../../events/related.js";
import { exceptionsOf, isOccurrenceId, isSeries, withoutExceptions } from "../../events/repeat/series.js";
import { type Written, write } from "../../events/write.js";
import type { Run } from "../../run/run.js";
import { hashContent, hashEvent, shortHash } from "./entry.js";
import {
  type Drafter,
  draftOfChange,
  type ImportPlan,
  type ImportStep,
  isAsDrafted,
  isUntouched,
  writtenRecord,
} from "./make-plan.js";
import { type ImportEvent, type Known, recordOf, seriesRecord } from "./plan.js";

/** What the writes of an import need. */
interface ApplyOptions {
  readonly run: Run;
  readonly calendarId: string;
  /** The name of the source. */
  readonly source: string;
  readonly drafter: Pick<Drafter, "draftOf">;
  readonly records: ImportRecords;
}

export interface Applied {
  readonly counts: Record<ImportStep["kind"], number>;
  /** How many of the steps were done. */
  done: number;
  readonly failures: { readonly title: string; readonly error: CliError }[];
  /** What ended it before all was done; undefined if nothing did. */
  stopped: unknown;
}

/** A write of an import. */
interface Job {
  /** Occurrences are deleted before their series are written, which may move them, and changed after it. */
  readonly phase: 0 | 1 | 2;
  readonly title: string;
  /** The step that it carries out; null for one that comes before the steps. */
  readonly step: ImportStep | null;
  /** @throws CliError changed for an event that somebody changed since it was planned */
  readonly write: () => Promise<unknown>;
}

/** Writes several events at a time, and notes each write, so that a killed run goes on where it was. */
export async function applyPlan(options: ApplyOptions, { steps, untouched }: ImportPlan): Promise<Applied> {
  const { run, records } = options;
  await records.transact((db) => {
    for (const { identity, record } of untouched)
      if (record !== undefined) records.note(db, identity, record);
  });
  const jobs = [...pendingCreates(options, steps), ...restoresOf(options, steps), ...jobsOf(options, steps)];
  const applied: Applied = {
    counts: { created: 0, updated: 0, deleted: 0 },
    done: 0,
    failures: [],
    stopped: undefined,
  };
  const progress = await run.terminal.openProgress();
  let tried = 0;
  try {
    for (const phase of [0, 1, 2]) {
      if (applied.stopped !== undefined) break;
      const inPhase = jobs.filter((job) => job.phase === phase);
      for await (const attempt of processInOrder(inPhase, (job) => job.write())) {
        noteAttempt(applied, attempt);
        tried += 1;
        progress.show({ what: "importing", done: tried, total: steps.length });
      }
    }
  } finally {
    progress.clear();
  }
  return applied;
}

function noteAttempt(applied: Applied, { item: { title, step }, result }: Attempted<Job, unknown>): void {
  if (result.kind === "failed") applied.failures.push({ title, error: result.error });
  else if (result.kind === "stopped" || result.kind === "failed_for_all") applied.stopped ??= result.error;
  else if (step !== null) {
    applied.counts[step.kind] += 1;
    applied.done += 1;
  }
}

function jobsOf(options: ApplyOptions, steps: readonly ImportStep[]): readonly Job[] {
  return steps.map((step): Job => {
    const { title } = step;
    if (step.kind === "deleted") {
      const phase = isOccurrenceId(step.known.record.id) ? 0 : 1;
      return { phase, title, step, write: () => remove(options, step.known, step.seen) };
    }
    const { event } = step;
    const isOccurrence = event.occurrenceOf !== undefined;
    const seen = step.kind === "updated" ? step.seen : "";
    const isCreated = step.kind === "created" && !isOccurrence;
    const writeStep = () => (isCreated ? create(options, event) : update(options, event, seen));
    return { phase: isOccurrence ? 2 : 1, title, step, write: writeStep };
  });
}

/** The pending creates of a killed run, of events that the file does not have any more. */
function pendingCreates(options: ApplyOptions, steps: readonly ImportStep[]): readonly Job[] {
  const added = new Set(steps.map((step) => (step.kind === "created" ? step.event.identity : "")));
  const creates = [...options.records.pending].filter(([identity]) => !added.has(identity));
  return creates.map(([identity, pending]) => ({
    ...{ phase: 1, title: pending.draft.title, step: null },
    write: () => finishCreate(options, identity, pending, false),
  }));
}

/** What puts occurrences back into their series: a job for each series, since two at a time would undo each other. */
function restoresOf(options: ApplyOptions, steps: readonly ImportStep[]): readonly Job[] {
  const bySeries = new Map<string, ImportEvent[]>();
  for (const step of steps) {
    if (step.kind !== "created" || step.isExcepted !== true) continue;
    const identity = step.event.occurrenceOf?.series ?? "";
    bySeries.set(identity, [...(bySeries.get(identity) ?? []), step.event]);
  }
  return [...bySeries].map(([identity, occurrences]) => ({
    ...{ phase: 1, title: occurrences[0]?.content.title ?? "", step: null },
    write: () => restore(options, identity, occurrences),
  }));
}

/** One that a killed run may have created is first created as that run would have created it. */
async function create(options: ApplyOptions, event: ImportEvent): Promise<void> {
  const { records, source, drafter } = options;
  const { identity, originalStart, isAlone } = event;
  const hash = hashContent(event.content);
  const earlier = records.pending.get(identity);
  const before = records.byIdentity.get(identity);
  const key = shortHash([source, identity, hash, before?.undone ?? before?.id ?? null]);
  const draft = drafter.draftOf(event);
  const pending = earlier ?? { key, hash, draft, originalStart, isAlone, series: seriesRecord(event) };
  const made = await finishCreate(options, identity, pending, earlier === undefined);
  if (pending.hash !== hash) await update(options, event, hashEvent(made));
}

/**
 * Creates an event, and notes that before and after.
 * @param isNew whether no earlier run may have sent it; where the service keeps no keys, it is sent only then
 */
async function finishCreate(
  { run, calendarId, records }: ApplyOptions,
  identity: string,
  pending: PendingCreate,
  isNew: boolean,
): Promise<Event> {
  const { key, draft, ...known } = pending;
  const skipped: ImportRecord = { ...SKIPPED, ...known };
  const skip = () => records.transact((db) => records.note(db, identity, skipped));
  const isKeyKept = await (await run.api()).hasExtension("keys", calendarId);
  if (!isKeyKept && !isNew) {
    await skip();
    throw new CliError("outcome_unknown", UNKNOWN_CREATE, { hint: CREATE_BY_HAND });
  }
  const before = records.byIdentity.get(identity) ?? null;
  const also = records.alsoNoted<Written>(identity, null, {
    pending: (db) => records.notePending(db, identity, pending),
    done({ event, isRepeat }) {
      // Somebody may have changed it since a killed run made it.
      const isAsMade = !isRepeat || isAsDrafted(event, draft, exceptedAs(event));
      return [[identity, { id: event.id, lastWrittenHash: isAsMade ? hashEvent(event) : "", ...known }]];
    },
    refused: ({ code, status = 0 }) => [
      [identity, code === "rejected" && [404, 410].includes(status) ? skipped : before],
    ],
  });
  try {
    const request = { kind: "create", calendarId, draft, key: isKeyKept ? key : undefined, also } as const;
    return (await write(run, request)).event;
  } catch (error) {
    if (!(error instanceof CliError) || !isOutcomeUnknown(error)) throw error;
    if (isKeyKept || error.code === "interrupted") throw error;
    await skip();
    throw wrapError(error, error.code, UNKNOWN_CREATE, { hint: CREATE_BY_HAND });
  }
}

const UNKNOWN_CREATE = "it is unknown whether it was created";
const CREATE_BY_HAND = "check the calendar; if it is missing, create it by hand (imports skip it)";

/** Whatever was deleted or changed of a series since it was made. */
function exceptedAs({ recurrences }: Event): Pick<ImportEvent, "exceptions"> {
  const excepted = exceptionsOf(recurrences);
  return { exceptions: { excepted, isOurs: () => true, isOriginalStart: () => true } };
}

/** @param seen `hashEvent` of the event as it was planned; empty for an occurrence that is as its series says */
async function update(options: ApplyOptions, event: ImportEvent, seen: string): Promise<void> {
  const { records, drafter } = options;
  const { identity } = event;
  const id = recordOf(event, records.byIdentity)?.id;
  if (id === undefined) throw noSeriesError();
  const wanted = drafter.draftOf(event);
  await updateEvent(options, identity, {
    id,
    draftOf(current) {
      if (seen !== "" || !isAsDrafted(current, wanted, event)) requireAsSeen(current, seen);
      return draftOfChange(wanted, current, event);
    },
    changesOf(written) {
      // Deletes of single events are exceptions of the series now.
      const deleted = records.partsOf(identity, written).filter(([, part]) => part.deleted === "by_import");
      return [...deleted.map(forget), [identity, writtenRecord(event, written)]];
    },
  });
}

/** Each occurrence is then as its series says, and is changed after that. */
async function restore(
  options: ApplyOptions,
  identity: string,
  occurrences: readonly ImportEvent[],
): Promise<void> {
  const { run, records } = options;
  const record = records.byIdentity.get(identity);
  const { series } = record ?? {};
  if (record === undefined || series === undefined) throw noSeriesError();
  const originalStarts = new Set(occurrences.map(({ originalStart }) => originalStart));
  const excepted = series.excepted.filter((originalStart) => !originalStarts.has(originalStart));
  await updateEvent(options, identity, {
    id: record.id,
    draftOf(current) {
      const members = occurrences.map(({ occurrenceOf }) => ({
        id: `${current.id}_${occurrenceOf?.originalStart}`,
        series_id: current.id,
      }));
      const label = current.label?.id ?? DEFAULT_LABEL;
      const draft = changes(current, [{ label }], run.config.settings().timezone);
      return { ...draft, recurrences: withoutExceptions(current.recurrences, members) };
    },
    changesOf: () => [
      ...occurrences.map((each): RecordChange => [each.identity, null]),
      [identity, { ...record, series: { ...series, excepted } }],
    ],
  });
}

function noSeriesError(): CliError {
  return new CliError("rejected", "its series is not in the calendar");
}

interface Update {
  /** Of the event. */
  readonly id: string;
  /** @throws CliError changed */
  readonly draftOf: (current: Event) => EventDraft;
  /** What is remembered of the event as it was left. */
  readonly changesOf: (left: Event) => readonly RecordChange[];
}

async function updateEvent(
  { run, calendarId, records }: ApplyOptions,
  identity: string,
  { id, draftOf, changesOf }: Update,
): Promise<void> {
  const event = await (await run.api()).getEvent({ calendarId, eventId: id });
  const expectedUpdatedAt = event.updated_at === null ? null : lastUpdate(event, "import");
  const also = records.alsoNoted<Written>(identity, event, { done: (written) => changesOf(written.event) });
  const request = { event, draft: draftOf(event), scope: scopeOf(event), expectedUpdatedAt, also };
  await write(run, { kind: "update", ...request });
}

async function remove(
  { run, calendarId, records }: ApplyOptions,
  { identity, record }: Known,
  seen: string,
): Promise<void> {
  const address = { calendarId, eventId: record.id };
  const event = await (await run.api()).getEvent(address);
  requireAsSeen(event, seen);
  const also = records.alsoNoted<null>(identity, event, {
    pending: (db) => records.note(db, identity, { ...record, deleted: "pending" }),
    done: () => [
      ...records.partsOf(identity, event).map(forget),
      [identity, { ...record, deleted: "by_import" }],
    ],
  });
  await write(run, { kind: "delete", ...address, event, scope: scopeOf(event), also });
}

function forget([identity]: ReturnType<ImportRecords["partsOf"]>[number]): RecordChange {
  return [identity, null];
}

/** Which events of a series a write to one of them means. */
function scopeOf(event: Event): "this" | "all" | undefined {
  if (event.series_id === null) return undefined;
  return isSeries(event) ? "all" : "this";
}

/** @throws CliError changed */
function requireAsSeen(current: Event, seen: string): void {
  if (isUntouched(current) || hashEvent(current) === seen) return;
  throw new CliError("changed", `event ${current.id} was changed since the import was planned`, {
    hint: "run the same command again",
  });
}
