import { isOccurrenceId } from "../../calendar/series.js";
import type { CliError } from "../../errors.js";
import { processInOrder } from "../process-each.js";
import {
  type ImportContext,
  type ImportStep,
  type StepOptions,
  type WriteStep,
  writeStep,
} from "./write-step.js";

interface ApplyOptions extends StepOptions {
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
  const others = begun.map(
    ([identity, { draft }]): WriteStep => ({ kind: "begun", identity, title: draft.title }),
  );
  const counts = { new: 0, changed: 0, gone: 0, begun: 0 };
  const failures: Applied["failures"][number][] = [];
  let stopped: unknown;
  let tried = 0;
  for (const jobs of inPhases([...others, ...steps])) {
    if (stopped !== undefined) break;
    for await (const { item, result } of processInOrder(jobs, (job) => writeStep(context, job, options))) {
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

/** Occurrences are deleted before their series are written, which may move them, and changed after it. */
function inPhases(jobs: readonly WriteStep[]): readonly (readonly WriteStep[])[] {
  const phaseOf = (job: WriteStep): number => {
    if (job.kind === "gone") return isOccurrenceId(job.known.record.id) ? 0 : 1;
    return job.kind !== "begun" && job.event.occurrenceOf !== undefined ? 2 : 1;
  };
  return [0, 1, 2].map((phase) => jobs.filter((job) => phaseOf(job) === phase));
}
