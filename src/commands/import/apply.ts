import { isOccurrenceId } from "../../calendar/series.js";
import type { CliError } from "../../errors.js";
import type { ImportEvent } from "../../import/plan.js";
import { writeImported } from "../../state/imported.js";
import type { Attempted } from "../item-report.js";
import { processInOrder } from "../process-each.js";
import type { ImportRun } from "./import-run.js";
import type { ImportPlan } from "./make-plan.js";
import { type ImportStep, type WriteStep, writeStep } from "./write-step.js";

export interface Applied {
  readonly counts: Record<ImportStep["kind"], number>;
  /** How many of the steps were done. */
  done: number;
  readonly failures: { readonly title: string; readonly error: CliError }[];
  /** What ended it before all was done; undefined if nothing did. */
  stopped: unknown;
}

/** Writes several events at a time, and notes each write, so that a killed run goes on where it was. */
export async function applyPlan(run: ImportRun, { steps, settled }: ImportPlan): Promise<Applied> {
  const { context, state, records } = run;
  await writeImported(state, (db) => {
    for (const { identity, record } of settled) if (record !== undefined) records.note(db, identity, record);
  });
  const added = new Set(steps.map((step) => (step.kind === "created" ? step.event.identity : "")));
  const begun = [...records.pending].filter(([identity]) => !added.has(identity));
  const others = begun.map(
    ([identity, { draft }]): WriteStep => ({ kind: "begun", identity, title: draft.title }),
  );
  const applied: Applied = {
    counts: { created: 0, updated: 0, deleted: 0 },
    done: 0,
    failures: [],
    stopped: undefined,
  };
  const progress = await context.terminal.openProgress();
  let tried = 0;
  try {
    for (const jobs of inPhases([...others, ...restoresOf(steps), ...steps])) {
      if (applied.stopped !== undefined) break;
      for await (const attempt of processInOrder(jobs, (job) => writeStep(run, job))) {
        noteAttempt(applied, attempt);
        tried += 1;
        progress.show({ what: "importing", done: tried, total: steps.length });
      }
    }
  } finally {
    progress.clear();
  }
  if (applied.stopped === undefined) await noteSequences(run);
  return applied;
}

async function noteSequences({ state, records, read }: ImportRun): Promise<void> {
  const changed = read.versions.flatMap(({ identity, sequence }) =>
    sequence === undefined || sequence === (records.sequences.get(identity) ?? 0)
      ? []
      : [{ identity, sequence }],
  );
  await writeImported(state, (db) => {
    for (const { identity, sequence } of changed) records.noteSequence(db, identity, sequence);
  });
}

function noteAttempt(applied: Applied, { item, result }: Attempted<WriteStep, void>): void {
  if (result.kind === "failed") applied.failures.push({ title: item.title, error: result.error });
  else if (result.kind === "stopped" || result.kind === "failed_for_all") applied.stopped ??= result.error;
  else if (item.kind !== "begun" && item.kind !== "restored") {
    applied.counts[item.kind] += 1;
    applied.done += 1;
  }
}

/** What puts occurrences back into their series: a step for each series, since two at a time would undo each other. */
function restoresOf(steps: readonly ImportStep[]): readonly WriteStep[] {
  const bySeries = new Map<string, ImportEvent[]>();
  for (const step of steps) {
    if (step.kind !== "created" || step.isExcepted !== true) continue;
    const identity = step.event.occurrenceOf?.series ?? "";
    bySeries.set(identity, [...(bySeries.get(identity) ?? []), step.event]);
  }
  return [...bySeries].map(([identity, occurrences]) => {
    const title = occurrences[0]?.content.title ?? "";
    return { kind: "restored", title, identity, occurrences };
  });
}

/** Occurrences are deleted before their series are written, which may move them, and changed after it. */
function inPhases(jobs: readonly WriteStep[]): readonly (readonly WriteStep[])[] {
  const phaseOf = (job: WriteStep): number => {
    if (job.kind === "begun" || job.kind === "restored") return 1;
    if (job.kind === "deleted") return isOccurrenceId(job.known.record.id) ? 0 : 1;
    return job.event.occurrenceOf !== undefined ? 2 : 1;
  };
  return [0, 1, 2].map((phase) => jobs.filter((job) => phaseOf(job) === phase));
}
