import type { CalendarEvent } from "../../../contract/shapes.js";
import type { Context } from "../../context.js";
import { CliError } from "../../errors.js";
import {
  compareWithRecords,
  hashContent,
  hashEvent,
  type ImportEvent,
  type ImportRecord,
  type ImportSource,
  judge,
  type Known,
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
  /** What is known now without a write. */
  readonly settled: ReadonlyMap<string, ImportRecord>;
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
  const candidates = [...changed, ...cancelled, ...(prune ? missing : [])];
  const settled = new Map<string, ImportRecord>();
  const found = new Map<Known, Judged>();
  const failure = await firstFailure(candidates, async (known) => {
    const { judged, record } = await judgeKnown(context, known, options);
    found.set(known, judged);
    if (record !== undefined) settled.set(known.identity, record);
  });
  if (failure !== undefined) throw failure;
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

/** @returns what is done, and what is remembered of it without a write */
async function judgeKnown(
  context: Pick<Context, "api">,
  known: Known & { readonly event?: ImportEvent },
  { calendarId, drafter, overwrite }: PlanOptions,
): Promise<{ readonly judged: Judged; readonly record?: ImportRecord }> {
  const { record, event } = known;
  const current = record.deleted === "elsewhere" ? null : await readEvent(context, calendarId, record.id);
  const draft = event === undefined ? null : drafter.draftOf(event);
  const title = event?.content.title ?? current?.title ?? "";
  switch (judge(record, current, { draft, overwrite })) {
    case "deleted":
      return judgeDeleted(known, title);
    case "conflict":
      return { judged: { kind: "conflicts", title } };
    case "same":
      return {
        judged: { kind: "unchanged", title },
        ...(event &&
          current && {
            record: { ...record, hash: hashContent(event), left: hashEvent(current), deleted: undefined },
          }),
      };
    case "write": {
      const seen = current === null ? "" : hashEvent(current);
      if (event === undefined || draft === null) return { judged: { kind: "gone", title, known, seen } };
      return { judged: { kind: "changed", title, event, seen } };
    }
  }
}

/** Somebody deleted it, or a run of ours that was killed before it had noted that. */
function judgeDeleted({ record, event }: Known & { readonly event?: ImportEvent }, title: string) {
  const isOurs = record.deleted === "begun";
  const judged: Judged =
    event === undefined
      ? { kind: "unchanged", title }
      : isOurs
        ? { kind: "new", title, event }
        : { kind: "conflicts", title };
  return { judged, record: { ...record, deleted: isOurs ? ("here" as const) : ("elsewhere" as const) } };
}

/** Null for one that was deleted. */
async function readEvent(
  { api }: Pick<Context, "api">,
  calendarId: string,
  eventId: string,
): Promise<CalendarEvent | null> {
  return (await api()).getEvent({ calendarId, eventId }).catch((error: unknown) => {
    if (error instanceof CliError && error.code === "not_found") return null;
    throw error;
  });
}
