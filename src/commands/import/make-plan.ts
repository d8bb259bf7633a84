import type { CalendarEvent } from "../../../contract/shapes.js";
import { exceptionsOf, isOccurrenceId, isSeries } from "../../calendar/series.js";
import type { Context } from "../../context.js";
import { nullOn } from "../../errors.js";
import {
  compareWithRecords,
  hashEvent,
  type ImportEvent,
  type ImportRecord,
  type ImportSource,
  isSeriesRecord,
  isUntouched,
  judge,
  type Known,
  occurrenceRecords,
  seriesOf,
  writtenRecord,
} from "../../import/plan.js";
import type { ImportExamples, ImportReport } from "../../output/views/import.js";
import { firstFailure } from "../process-each.js";
import type { ImportStep } from "./apply.js";
import type { Drafter } from "./drafts.js";

interface PlanOptions {
  readonly calendarId: string;
  readonly source: ImportSource;
  readonly records: ReadonlyMap<string, ImportRecord>;
  readonly drafter: Pick<Drafter, "prepare" | "draftOf">;
  /** Whether what somebody changed is written all the same. */
  readonly overwrite: boolean;
  /** Whether what is not in the file any more is deleted. */
  readonly prune: boolean;
}

/** What an import would do. */
export interface ImportPlan {
  readonly steps: readonly ImportStep[];
  /** What is known now without a write; null for what is nothing of its own. */
  readonly settled: ReadonlyMap<string, ImportRecord | null>;
  readonly counts: Omit<ImportReport, "source" | "rejected">;
  readonly examples: ImportExamples;
  /** How many events of the calendar came from the source before, and how many of them are not in the file any more. */
  readonly before: number;
  readonly missing: number;
}

type Judged = ImportStep | { readonly kind: "unchanged" | "conflicts"; readonly title: string };

const EXAMPLES = 5;

/** Compares a file with what was imported before, and what changed in it with the calendar: only that is read. */
export async function makePlan(context: Pick<Context, "api">, options: PlanOptions): Promise<ImportPlan> {
  const { source, records, drafter, prune } = options;
  const { added, changed, cancelled, missing, unchanged, before } = compareWithRecords(source, records);
  for (const event of added) await drafter.prepare(event);
  for (const { event } of changed) await drafter.prepare(event);
  const others = [...cancelled, ...(prune ? missing : [])];
  const gone = new Set(others.filter(({ record }) => isSeriesRecord(record)).map(({ identity }) => identity));
  // What is left of a series goes with it.
  const isPart = ({ identity, record }: Known) => isOccurrenceId(record.id) && gone.has(seriesOf(identity));
  const candidates: readonly Candidate[] = [...changed, ...others.filter((each) => !isPart(each))];
  const settled = new Map<string, ImportRecord | null>();
  const found = new Map<string, Judged>();
  const judgeAll = async (some: readonly Candidate[]) => {
    const failure = await firstFailure(some, async (known) => {
      const { judged, record } =
        (await judgeAfterSeries(context, known, { ...options, found })) ??
        (await judgeKnown(context, known, options));
      found.set(known.identity, judged);
      if (record !== undefined) settled.set(known.identity, record);
    });
    if (failure !== undefined) throw failure;
  };
  await judgeAll(candidates.filter(({ event }) => event?.occurrenceOf === undefined));
  await judgeAll(candidates.filter(({ event }) => event?.occurrenceOf !== undefined));
  const steps: ImportStep[] = [];
  const counts = { new: 0, changed: 0, unchanged, gone: 0, conflicts: 0 };
  const examples = { new: [], changed: [], unchanged: [], gone: [], conflicts: [] } as Record<
    Judged["kind"],
    string[]
  >;
  const note = (judged: Judged): void => {
    counts[judged.kind] += 1;
    if (examples[judged.kind].length < EXAMPLES) examples[judged.kind].push(judged.title);
    if ("event" in judged || "known" in judged) steps.push(judged);
  };
  for (const event of added) note({ kind: "new", title: event.content.title, event });
  for (const judged of found.values()) note(judged);
  return {
    steps,
    settled,
    counts,
    examples: { ...examples, unchanged: [] },
    before,
    missing: missing.length,
  };
}

/** An event of the file or of the calendar, or both. */
type Candidate = Known & { readonly event?: ImportEvent };

interface Judgment {
  readonly judged: Judged;
  /** What is remembered without a write: null for nothing any more, undefined for what was. */
  readonly record?: ImportRecord | null;
}

/** An occurrence that the file changes for the first time, together with its series; null for any other event. */
async function judgeAfterSeries(
  context: Pick<Context, "api">,
  { event, record }: Candidate,
  { found, calendarId, records }: PlanOptions & { readonly found: ReadonlyMap<string, Judged> },
): Promise<Judgment | null> {
  const uid = event?.occurrenceOf?.series ?? "";
  const series = found.get(uid);
  if (event === undefined || series === undefined) return null;
  const { title } = event.content;
  if (series.kind === "new") return { judged: { kind: "new", title, event } };
  if (series.kind !== "changed" || record.left !== "") return null;
  const current = await readEvent(context, calendarId, record.id);
  if (current !== null && !isUntouched(current)) return null;
  const whole = current ?? (await readEvent(context, calendarId, records.get(uid)?.id ?? ""));
  // One that is not there is made with the series, unless somebody deleted it.
  const isLeftOut = exceptionsOf(whole?.recurrences).includes(event.slot ?? 0);
  if (isLeftOut && series.event.exceptions?.isOurs(event.slot ?? 0) === false) return null;
  return { judged: { kind: "changed", title, event, seen: "" } };
}

/** @returns what is done, and what is remembered of it without a write */
async function judgeKnown(
  context: Pick<Context, "api">,
  known: Candidate,
  { calendarId, drafter, overwrite, records }: PlanOptions,
): Promise<Judgment> {
  const { record, event, identity } = known;
  const read = (id: string) => readEvent(context, calendarId, id);
  const current = record.deleted === "elsewhere" ? null : await read(record.id);
  const draft = event === undefined ? null : drafter.draftOf(event);
  const title = event?.content.title ?? current?.title ?? "";
  switch (judge(record, current, { draft, event, overwrite })) {
    case "deleted":
      return judgeDeleted(known, title);
    case "conflict":
      return { judged: { kind: "conflicts", title } };
    case "same":
      return { judged: { kind: "unchanged", title }, ...(event && current && settle(event, current)) };
    case "write": {
      const seen = current === null ? "" : hashEvent(current);
      if (event !== undefined && draft !== null) return { judged: { kind: "changed", title, event, seen } };
      const parts = occurrenceRecords(records, identity);
      const isWhole =
        current === null || !isSeries(current) || (await isAsImported(current, known, { parts, read }));
      return { judged: isWhole ? { kind: "gone", title, known, seen } : { kind: "conflicts", title } };
    }
  }
}

/** An event that says what the file says. */
function settle(event: ImportEvent, current: CalendarEvent): Pick<Judgment, "record"> {
  return { record: isUntouched(current) ? null : writtenRecord(event, current) };
}

interface SeriesParts {
  /** What is remembered of occurrences. */
  readonly parts: ReturnType<typeof occurrenceRecords>;
  readonly read: (id: string) => Promise<CalendarEvent | null>;
}

/** Whether nobody has changed or deleted a single event of a series. */
async function isAsImported(
  { recurrences }: CalendarEvent,
  { record: { series } }: Known,
  { parts, read }: SeriesParts,
): Promise<boolean> {
  const ours = new Set([...(series?.excepted ?? []), ...parts.map(([, { slot }]) => slot)]);
  if (exceptionsOf(recurrences).some((slot) => !ours.has(slot))) return false;
  for (const [, { id, left, deleted }] of parts) {
    if (deleted === "here") continue;
    const current = await read(id);
    if (current === null || hashEvent(current) !== left) return false;
  }
  return true;
}

/** Somebody deleted it, or a run of ours that was killed before it had noted that. */
function judgeDeleted({ record, event }: Candidate, title: string): Judgment {
  const isOurs = record.deleted === "begun";
  const deleted: ImportRecord = { ...record, deleted: isOurs ? "here" : "elsewhere" };
  if (event === undefined) return { judged: { kind: "unchanged", title }, record: deleted };
  return { judged: isOurs ? { kind: "new", title, event } : { kind: "conflicts", title }, record: deleted };
}

/** Null for one that was deleted. */
async function readEvent(
  { api }: Pick<Context, "api">,
  calendarId: string,
  eventId: string,
): Promise<CalendarEvent | null> {
  return (await api()).getEvent({ calendarId, eventId }).catch(nullOn("not_found"));
}
