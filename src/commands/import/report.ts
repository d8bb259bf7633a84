import { writeFileSync } from "node:fs";
import { CliError, fileProblemOf, usageError, wrapError } from "../../errors.js";
import { encodeText } from "../../import/read.js";
import { describeReason } from "../../output/error-report.js";
import type { ImportReport } from "../../output/views/import.js";
import { createNamer } from "../item-report.js";
import type { Applied } from "./apply.js";
import type { ImportRun } from "./import-run.js";
import type { ImportPlan } from "./make-plan.js";
import type { ReadSource } from "./read-source.js";

/** Why nothing is deleted because it is missing; null otherwise. */
export function noPruneReason(read: ReadSource): string | null {
  const { source, rejections } = read;
  if (!read.isComplete) return "the file is cut short, or its last line has no end";
  if (read.isMail === true) return "an email does not have all events of its source";
  if (source.events.size === 0) return "the file has no events";
  const isUnknown = rejections.some(({ identity }) => identity === undefined);
  return isUnknown ? "what was rejected may be among them" : null;
}

/** What was done, or with a plan alone would be. */
export function reportOf({ job, read }: ImportRun, { counts }: ImportPlan): ImportReport {
  const rejected = read.rejections.map(({ line, reason, title }) => ({ line, reason, title }));
  return { source: job.source, ...counts, rejected };
}

/**
 * In the format of the file, so that it can be imported once it is corrected; empty where nothing was rejected.
 * @throws CliError usage: nothing of the file was written to the calendar yet
 */
export function writeRejects({ context, flags: { rejects }, read }: ImportRun): void {
  if (rejects === undefined || context.flags.dryRun) return;
  const { header, footer, rejections } = read;
  try {
    const texts = rejections.map(({ text }) => (text.endsWith("\n") ? text : `${text}\n`));
    writeFileSync(rejects, texts.length === 0 ? "" : encodeText([header, ...texts, footer].join("")));
  } catch (cause) {
    throw usageError(
      `--rejects: ${rejects} cannot be written (${fileProblemOf(cause)})`,
      "name a file in a folder of yours",
    );
  }
}

/** @throws CliError for what was rejected, failed or not done */
export function reportFailures(
  { context, job, read }: ImportRun,
  { plan, applied }: { readonly plan: ImportPlan; readonly applied: Applied | null },
): void {
  const { warn, note } = context.output;
  const { rejections, size } = read;
  const reason = job.prune === false ? null : noPruneReason(read);
  const kept = `${countOf(plan.missing, "event")} not in ${job.name} any more`;
  const stays = plan.missing === 1 ? "it stays" : "they stay";
  if (plan.missing > 0 && job.prune === false && read.isMail !== true)
    note(`${kept}: ${stays}, since --prune is not given`);
  const { failures = [], stopped, done = 0 } = applied ?? {};
  const namer = createNamer(warn);
  for (const { title, error } of failures) namer.name(`"${title}": ${describeReason(error)}`);
  namer.end();
  const total = plan.steps.length;
  if (stopped !== undefined) throw describeStop(stopped, { done, total });
  const [first] = failures;
  if (first !== undefined && done === 0) throw first.error;
  const problems = [
    ...(failures.length > 0 ? [`${failures.length} of ${countOf(total, "change")} failed`] : []),
    ...(rejections.length > 0 ? [`${rejections.length} of ${countOf(size, "event")} rejected`] : []),
    ...(plan.missing > 0 && reason !== null ? [`${kept}, and not deleted: ${reason}`] : []),
  ];
  if (problems.length > 0) throw new CliError("partial", problems.join("; "));
}

/** `3 events` */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What ended the writes, with how far they came. */
function describeStop(
  error: unknown,
  { done, total }: { readonly done: number; readonly total: number },
): unknown {
  if (!(error instanceof CliError) || done === 0) return error;
  const code = error.code === "interrupted" ? error.code : "partial";
  const message = `${done} of ${countOf(total, "change")} were written: ${error.message}`;
  return wrapError(error, code, message, { hint: "the same command goes on with the rest" });
}
