import { writeFileSync } from "node:fs";
import type { Context } from "../../context.js";
import { CliError, errorCodeOf, usageError, wrapError } from "../../errors.js";
import { isUnicodeLocale } from "../../output/style.js";
import {
  createImportView,
  describeImport,
  type ImportReport,
  importView,
} from "../../output/views/import.js";
import { createProgressBar } from "../../terminal/progress-bar.js";
import { type ChosenCalendar, chooseCalendar } from "../calendar-choice.js";
import { type Applied, applySteps, type ImportContext } from "./apply.js";
import { createDrafter, type Drafter } from "./drafts.js";
import { type ImportPlan, makePlan } from "./make-plan.js";
import {
  type ImportFlags,
  type ImportJob,
  MAX_NAMED,
  type ReadSource,
  readJob,
  readSource,
} from "./read-source.js";
import { type ImportRecords, withRecords } from "./records.js";

/** One run of the command, once its file is read. */
interface ImportRun {
  readonly context: ImportContext & Pick<Context, "machine">;
  readonly flags: ImportFlags;
  readonly job: ImportJob;
  readonly read: ReadSource;
  readonly calendar: ChosenCalendar;
  readonly drafter: Drafter;
}

/** Brings a calendar in step with a file: says what it would do, asks, and does it. */
export async function runImport(context: ImportRun["context"], flags: ImportFlags): Promise<void> {
  context.output.of(importView);
  const job = readJob(context, flags);
  const read = await readSource(context, job, flags);
  if (read.rejections.length > 0 && read.source.events.size + read.source.cancelled.size === 0) {
    writeRejects(context, flags, read);
    throw new CliError("rejected", `nothing of ${job.name} can be imported`);
  }
  const calendar = await chooseCalendar(context, "writeCalendar");
  const drafter = await createDrafter(context, { calendar, label: flags.label });
  const run = { context, flags, job, read, calendar, drafter };
  const { dryRun } = context.flags;
  const { plan, applied } = await withRecords({ ...recordsOf(run), readOnly: dryRun }, async (records) => {
    const made = await planRun(run, records);
    if (dryRun) return { plan: made, applied: null };
    await confirmPlan(run, made);
    writeRejects(context, flags, read);
    return { plan: made, applied: await applyPlan(run, made, records) };
  });
  const output = context.output.of(createImportView(dryRun ? plan.examples : {}));
  if (applied === null || applied.done > 0 || applied.stopped === undefined)
    await output.print({ ...reportOf(run, plan), ...applied?.counts }, "the import was done");
  reportFailures(run, plan, applied);
}

/** Each profile, service, calendar and source has its own. */
function recordsOf({ context, job, calendar }: ImportRun) {
  const { stateDirectory, dataDirectory, userId, process, clock, signal } = context.machine;
  const { profile, service } = context.config.settings();
  const place = service.kind === "local" ? dataDirectory() : service.baseUrl.value;
  return {
    stateDirectory,
    userId,
    process,
    clock,
    signal,
    owner: [profile ?? "", place, calendar.id, job.source],
  };
}

async function planRun(run: ImportRun, records: ImportRecords): Promise<ImportPlan> {
  const { context, flags, job, read, calendar, drafter } = run;
  const plan = await makePlan(context, {
    calendarId: calendar.id,
    source: read.source,
    records: records.records,
    drafter,
    overwrite: flags.overwrite === true,
    prune: job.prune !== false && noPruneReason(read) === null,
  });
  for (const note of drafter.notes()) context.output.note(note);
  return plan;
}

/** Why nothing is deleted because it is missing; null otherwise. */
function noPruneReason({ isComplete, source, rejections }: ReadSource): string | null {
  if (!isComplete) return "the file is cut short, or its last line has no end";
  if (source.events.size === 0) return "the file has no events";
  const isUnknown = rejections.some(({ identity }) => identity === undefined);
  return isUnknown ? "what was rejected may be among them" : null;
}

/** Shows the plan and asks where something would be written. @throws CliError interrupted for no, usage without a terminal */
async function confirmPlan(run: ImportRun, plan: ImportPlan): Promise<void> {
  const { context, job, read, calendar } = run;
  const { before, counts, steps, examples } = plan;
  const isMost = job.prune === true && counts.gone > 0 && read.source.events.size * 2 < before;
  if (steps.length === 0 || (job.isConfirmed && !isMost)) return;
  const { prompt } = context.terminal;
  if (!prompt.available || job.path === "-")
    throw usageError(
      `--prune: the file has fewer than half of the ${before} events that came from it before`,
      "look at it with --dry-run, and give --prune=all if that is right",
    );
  const place = calendar.name || calendar.id;
  context.output.warn(`${job.source} to ${place}:`);
  const unicode = isUnicodeLocale(context.machine.process);
  const lines = describeImport(reportOf(run, plan), { examples, width: prompt.columns, unicode });
  for (const line of lines) context.output.warn(line);
  const questions = [
    ...(job.isConfirmed ? [] : [`Write ${countOf(steps.length, "change")} to ${place}?`]),
    ...(isMost ? [`Delete ${counts.gone} of the ${before} events that came from ${job.source} before?`] : []),
  ];
  for (const question of questions)
    if (!(await prompt.confirm(question))) throw new CliError("interrupted", "nothing was imported");
}

async function applyPlan(
  { context, job, calendar, drafter }: ImportRun,
  { steps, settled }: ImportPlan,
  records: ImportRecords,
): Promise<Applied> {
  const { machine, flags } = context;
  for (const [identity, record] of settled) records.set(identity, record);
  const unicode = () => isUnicodeLocale(machine.process);
  const bar = createProgressBar(machine.stderr, { quiet: flags.quiet, unicode });
  const onProgress = (done: number) => bar.show({ what: "importing", done, total: steps.length });
  const { source } = job;
  const { draftOf } = drafter;
  try {
    return await applySteps(context, steps, {
      calendarId: calendar.id,
      source,
      records,
      draftOf,
      onProgress,
    });
  } finally {
    bar.clear();
  }
}

function reportOf({ job, read }: ImportRun, { counts }: ImportPlan): ImportReport {
  const rejected = read.rejections.map(({ line, reason, title }) => ({ line, reason, title }));
  return { source: job.source, ...counts, rejected };
}

/**
 * In the format of the file, so that it can be imported once it is corrected; empty where nothing was rejected.
 * @throws CliError usage: nothing of the file was written to the calendar yet
 */
function writeRejects(
  { flags: { dryRun } }: ImportRun["context"],
  { rejects }: ImportFlags,
  { header, footer, rejections }: ReadSource,
): void {
  if (rejects === undefined || dryRun) return;
  try {
    const texts = rejections.map(({ text }) => (text.endsWith("\n") ? text : `${text}\n`));
    writeFileSync(rejects, texts.length === 0 ? "" : [header, ...texts, footer].join(""));
  } catch (cause) {
    const reason = errorCodeOf(cause) ?? cause;
    throw usageError(
      `--rejects: ${rejects} cannot be written (${reason})`,
      "name a file in a folder of yours",
    );
  }
}

/** @throws CliError for what was rejected, failed or not done */
function reportFailures({ context, job, read }: ImportRun, plan: ImportPlan, applied: Applied | null): void {
  const { warn, note } = context.output;
  const { rejections, size } = read;
  const reason = job.prune === false ? null : noPruneReason(read);
  const kept = `${countOf(plan.missing, "event")} not in ${job.name} any more`;
  if (plan.missing > 0 && job.prune === false) note(`${kept}: they stay, since --prune is not given`);
  const { failures = [], stopped, done = 0 } = applied ?? {};
  for (const { title, error } of failures.slice(0, MAX_NAMED)) warn(`"${title}": ${error.message}`);
  if (failures.length > MAX_NAMED) warn(`and ${failures.length - MAX_NAMED} more`);
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

function countOf(count: number, noun: string): string {
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
